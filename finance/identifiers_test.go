package finance

import (
	"strings"
	"testing"
	"time"

	"bordero/finance/taxid"
)

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	const pix = "E60746948202603051432A1b2C3d4E5f"
	for _, c := range []struct {
		name, document, text string
		want                 Identifiers
	}{
		{"nothing", "", "TARIFA MENSALIDADE", Identifiers{}},
		{"a CPF", "", "PIX RECEBIDO 529.982.247-25 ANA", Identifiers{CounterpartDocument: "52998224725"}},
		{"a CPF without punctuation", "", "PIX RECEBIDO/52998224725", Identifiers{CounterpartDocument: "52998224725"}},
		{"a CNPJ", "", "TED:11.222.333/0001-81.", Identifiers{CounterpartDocument: "11222333000181"}},
		{"a CNPJ without punctuation", "", "11222333000181 MOINHO", Identifiers{CounterpartDocument: "11222333000181"}},
		{"a CNPJ with letters", "", "TED 12.abc.345/01de-35", Identifiers{CounterpartDocument: "12ABC34501DE35"}},
		{"one that is repeated", "", "52998224725 CPF 529.982.247-25", Identifiers{CounterpartDocument: "52998224725"}},
		{"two", "", "DE 529.982.247-25 PARA 11.222.333/0001-81", Identifiers{}},
		{"wrong check digits", "", "529.982.247-26 11.222.333/0001-82", Identifiers{}},
		{"masked", "", "***.982.247-** e ***.222.333/0001-**", Identifiers{}},
		{"a part of a longer number", "", "152998224725 529982247255 X52998224725", Identifiers{}},
		{"a document", "NF 00123", "", Identifiers{Document: "123"}},
		{"a document of letters", "ãbc", "", Identifiers{Document: "abc"}},
		{"a document that looks like a CPF", "52998224725", "", Identifiers{Document: "52998224725"}},
		{"a Pix", "", "PIX " + pix + " ANA", Identifiers{EndToEndID: pix}},
		{"a Pix as a document", pix, "", Identifiers{Document: "6074694820260305143212345", EndToEndID: pix}},
		{"two of them", pix, strings.Replace(pix, "f", "g", 1), Identifiers{Document: "6074694820260305143212345"}},
		{"a month that is none", "", strings.Replace(pix, "202603", "202613", 1), Identifiers{}},
		{"a longer one, which may be of a charge", "", pix + "6", Identifiers{TxID: pix + "6"}},
		{"two charges", "", pix + "6 " + pix + "7", Identifiers{}},
	} {
		if got := IdentifiersOf(c.document, c.text); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Whatever a bank writes, an identifier stands in the text and is valid.
func FuzzIdentifiers(f *testing.F) {
	f.Add("NF 00123", "PIX E60746948202603051432A1b2C3d4E5f 529.982.247-25")
	f.Add("", "TED 12.ABC.345/01DE-35 x 11222333000181")
	f.Fuzz(func(t *testing.T, document, text string) {
		ids := IdentifiersOf(document, text)
		if n := ids.CounterpartDocument; n != "" && (!taxid.Valid(n) || !strings.Contains(taxid.Compact(text), n)) {
			t.Errorf("%q has %q", text, n)
		}
		if id := ids.EndToEndID; id != "" {
			_, err := time.Parse("200601021504", id[9:21])
			if err != nil || len(id) != 32 || !strings.Contains(document+"\n"+text, id) {
				t.Errorf("%q and %q have %q", document, text, id)
			}
		}
	})
}
