package e2e

import (
	"net/http"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// One process works on several queues, or on all of them, as one process for each would (decision 0055).
func TestOneProcessWorksOnAllQueues(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Delivering("1s"))
	s.Serve()
	all, two := s.Start("work").Ready(), s.Start("work", "sales", "webhooks", "sales").Ready()
	r := e2etest.NewReceiver(t)
	subscribe(t, s, r.URL+"/all")
	into := s.NewDepositAccount(t, "")
	imported := s.Import(t, into, statementtest.OFX(10))
	path, err := s.Attach("a.txt", strings.NewReader("a"))
	if err != nil {
		t.Fatal(err)
	}
	if a := e2etest.Fetch(t, s.Address(t, path)); a.Status != http.StatusOK || string(a.Body) != "a" {
		t.Error(e2etest.Refused{Answer: a})
	}
	if a, err := s.Do(http.MethodDelete, paths.BankStatement(s.Entity, into, imported.ID), "", nil); err != nil ||
		a.Status != http.StatusAccepted {
		t.Errorf("%v %v", a, err)
	}
	s.Settled()
	if left := s.Transactions(t, into); len(left) > 0 {
		t.Errorf("%d transactions of a deleted statement", len(left))
	}
	testkit.Eventually(t, "a notification", func() bool { return r.Count("/all") > 0 })

	for _, p := range []struct {
		*e2etest.Process
		queues      []string
		connections string
	}{
		{all, []string{"statements", "sales", "reconciliation", "deletions", "webhooks", "signing"}, "120"},
		{two, []string{"sales", "webhooks"}, "40"},
	} {
		shown := metricsOf(t, p.Process)
		for _, queue := range p.queues {
			if said := p.Out.String(); strings.Count(said, "msg=working queue="+queue+" ")+
				strings.Count(said, "msg=answering queue="+queue+" ") != 1 {
				t.Errorf("%s does not work on %s: %s", p.Name, queue, said)
			}
			if !strings.Contains(shown, `process="work `+queue+`"`) { // an alert asks for it
				t.Errorf("%s does not show the process of %s", p.Name, queue)
			}
		}
		if strings.Count(shown, "\nbordero_build_info{") != len(p.queues)+1 ||
			!strings.Contains(shown, "\nbordero_database_connections_max "+p.connections+"\n") {
			t.Errorf("%s shows %s", p.Name, shown)
		}
		p.Terminate()
	}
}
