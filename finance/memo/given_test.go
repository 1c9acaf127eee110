package memo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGiven(t *testing.T) {
	t.Parallel()
	const e2e = "E60701190202604150244DY58VMRPQY1"
	for _, c := range []struct{ given, want Payment }{
		{Payment{e2e, "pedido1", " ANA  LIMA ", "529.982.247-25"}, Payment{e2e, "pedido1", "ANA LIMA", "52998224725"}},
		{Payment{CounterpartDocument: "00052998224725"}, Payment{CounterpartDocument: "52998224725"}},
		{Payment{CounterpartDocument: "12.ABC.345/01DE-35"}, Payment{CounterpartDocument: "12ABC34501DE35"}},
		{Payment{CounterpartDocument: "***.982.247-**"}, Payment{CounterpartDocument: "***982247**"}},
		{Payment{" " + e2e, "***", "null", "529.982.247-24"}, Payment{}},
		{Payment{e2e[:31], "pedido 1", "12345", "CPF 529.982.247-25"}, Payment{}},
	} {
		if diff := cmp.Diff(c.want, Given(c.given)); diff != "" {
			t.Errorf("%v: -want +got\n%s", c.given, diff)
		}
	}
	given, read := Payment{CounterpartName: "ANA LIMA"}, Payment{TxID: "1", CounterpartName: "ANA"}
	if got := given.Or(read); got != (Payment{TxID: "1", CounterpartName: "ANA LIMA"}) {
		t.Error(got)
	}
}
