package cli

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestAServerThatDoesNotAnswerIsASentence(t *testing.T) {
	t.Parallel()
	const none = "127.0.0.1:1"
	upload := []string{"import", "--json", "--token", "x", "--entity", "1", "--deposit-account", "1", "main_test.go",
		"--url"}
	for name, c := range map[string]struct {
		env   []string
		words []string
		want  string
	}{
		"health": {[]string{"BORDERO_OPS_ADDR=" + none}, []string{"health"},
			"bordero: no bordero process answers at http://127.0.0.1:1: connection refused; is it running?\n"},
		"import": {nil, append(upload, "http://"+none+"/below"),
			`"output":"no bordero API answers at http://127.0.0.1:1/below: connection refused; is it running?"`},
		"no host": {nil, append(upload, "http://bordero.invalid"),
			`"output":"no bordero API answers at http://bordero.invalid: there is no such host; is it running?"`},
		"database": {[]string{"DATABASE_URL=postgres://a:secret@" + none + "/b"}, []string{"verify"},
			"bordero: no server answers at 127.0.0.1:1: connection refused; is it running?\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := run(t, c.env, c.words...)
			if said := stdout + stderr; !strings.Contains(said, c.want) || strings.Contains(said, "dial") ||
				status != 1 {
				t.Errorf("exit status %d, %s", status, said)
			}
		})
	}
}

func TestReasonsAreFewWords(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	connection, err := net.Dial("tcp", silent.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	_, err = connection.Read(make([]byte, 1))
	if got := reason(err); got != "it took too long" {
		t.Errorf("%v: %q", err, got)
	}
}
