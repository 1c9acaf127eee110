package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// twin is one of the sites of a twin run, and the client that sends the script.
type twin struct {
	*e2etest.Site
	t        *testing.T
	receiver *e2etest.Receiver
	running  map[string]*e2etest.Process // by arguments
	deck     []string                    // the faults that have not happened yet
	keys     int                         // drawn so far
	answers  []line                      // to POSTs, since the last view
	names    names
	seen     map[string]seenList // the lists that the current view has read
	views    []view              // one at the end of each scene
	hooks    []int64             // the webhooks
}

// twinProcesses are the processes of a twin.
var twinProcesses = []string{"api", "scheduler", "work statements", "work sales", "work reconciliation",
	"work deletions", "work webhooks"}

// twinLease is long enough for heartbeats on a busy machine.
const twinLease = 2 * time.Second

func newTwin(t *testing.T) *twin {
	t.Helper()
	w := &twin{t: t, receiver: e2etest.NewReceiver(t), running: map[string]*e2etest.Process{}, names: names{}}
	var refused sync.Map
	w.receiver.Answers("/all", func(answer http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond) // so that a worker that is killed often has an attempt open
		id, err := strconv.Atoi(strings.TrimPrefix(r.Header.Get("webhook-id"), "msg_"))
		if err != nil || id%10 != 7 {
			return // the test of the webhook has no number
		}
		if _, again := refused.LoadOrStore(id, true); !again {
			answer.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.Site = e2etest.New(t, e2etest.Delivering("200ms"), e2etest.Set("BORDERO_LEASE="+twinLease.String()))
	for _, name := range twinProcesses {
		w.start(name)
	}
	for _, p := range w.running {
		p.Ready()
	}
	return w
}

func (w *twin) start(name string) { w.running[name] = w.Start(strings.Fields(name)...) }

// ask sends a request until it has a final answer, a POST under one key. again reports whether it was sent twice.
func (w *twin) ask(method, path, contentType string, body []byte) (a e2etest.Answer, again bool) {
	key := ""
	if method == http.MethodPost {
		w.keys++
		key = fmt.Sprint("twin-", w.keys)
	}
	return w.askAs(key, method, path, contentType, body)
}

func (w *twin) askAs(key, method, path, contentType string, body []byte) (a e2etest.Answer, again bool) {
	w.t.Helper()
	tries := 0
	testkit.Eventually(w.t, "an answer to "+method+" "+path, func() bool {
		tries++
		var err error
		a, err = w.DoKeyed(key, method, path, contentType, bytes.NewReader(body))
		busy := a.Status == http.StatusConflict && a.Header.Get("Retry-After") != ""
		return err == nil && a.Status != http.StatusServiceUnavailable && !busy
	})
	return a, tries > 1
}

// send sends a document below root, which must be accepted, and returns the answer.
func (w *twin) send(method, path, root string, fields map[string]any) e2etest.Answer {
	w.t.Helper()
	var body []byte
	contentType := ""
	if fields != nil {
		document := any(fields)
		if root != "" {
			document = map[string]any{root: fields}
		}
		body, _ = json.Marshal(document) // of texts and numbers
		contentType = "application/json"
	}
	a, again := w.ask(method, path, contentType, body)
	if gone := method == http.MethodDelete && again && a.Status == http.StatusNotFound; a.Status >= 300 && !gone {
		w.t.Fatalf("%s %s: %v", method, path, e2etest.Refused{Answer: a})
	}
	if method == http.MethodPost {
		w.note(path, a)
	}
	return a
}

// note keeps an answer for the next view.
func (w *twin) note(path string, a e2etest.Answer) {
	name := fmt.Sprintf("answer %d", len(w.answers)+1)
	w.answers = append(w.answers, line{name, fmt.Sprint(path, " ", a.Status), a.Body})
}

// post creates a record and returns its id.
func (w *twin) post(path, root string, fields map[string]any) int64 {
	w.t.Helper()
	return w.made(w.send(http.MethodPost, path, root, fields), root)
}

// made returns the id of the record of an answer.
func (w *twin) made(a e2etest.Answer, root string) int64 {
	w.t.Helper()
	var made map[string]struct{ ID int64 }
	if err := json.Unmarshal(a.Body, &made); err != nil || made[root].ID == 0 {
		w.t.Fatalf("%v: %v", err, e2etest.Refused{Answer: a})
	}
	return made[root].ID
}

func (w *twin) put(path, root string, fields map[string]any) {
	w.t.Helper()
	w.send(http.MethodPut, path, root, fields)
}

func (w *twin) remove(path string) {
	w.t.Helper()
	w.send(http.MethodDelete, path, "", nil)
}

// batch creates records twice under one key: the second answer must repeat the first one. It returns their ids.
func (w *twin) batch(path, root string, items ...map[string]any) (ids []int64) {
	w.t.Helper()
	all := make([]any, len(items))
	for i, one := range items {
		all[i] = map[string]any{root: one}
	}
	body, _ := json.Marshal(map[string]any{"items": all})
	w.keys++
	var first e2etest.Answer
	for range 2 {
		a, _ := w.askAs(fmt.Sprint("twin-", w.keys), http.MethodPost, path+"/batch", "application/json", body)
		if first.Body != nil && !bytes.Equal(a.Body, first.Body) {
			w.t.Errorf("%s: the key's second answer is %v, not %v", path, e2etest.Refused{Answer: a},
				e2etest.Refused{Answer: first})
		}
		first = a
	}
	var got struct {
		Results []struct {
			Status int
			Body   map[string]struct{ ID int64 }
		}
	}
	if err := json.Unmarshal(first.Body, &got); err != nil || len(got.Results) != len(items) {
		w.t.Fatalf("%s: %v: %v", path, err, e2etest.Refused{Answer: first})
	}
	for _, r := range got.Results {
		if r.Status >= 300 {
			w.t.Fatalf("%s: %s", path, first.Body)
		}
		ids = append(ids, r.Body[root].ID)
	}
	w.note(path, first)
	return ids
}

// upload sends a file in a form, with texts in other parts, and returns the id of its record.
func (w *twin) upload(path, root, part, name, content string, texts ...string) int64 {
	w.t.Helper()
	var body bytes.Buffer
	f := multipart.NewWriter(&body)
	file, _ := f.CreateFormFile(root+"["+part+"]", name) // a Buffer accepts all writes
	_, _ = file.Write([]byte(content))
	for pair := range slices.Chunk(texts, 2) {
		_ = f.WriteField(root+"["+pair[0]+"]", pair[1])
	}
	_ = f.Close()
	a, _ := w.ask(http.MethodPost, path, f.FormDataContentType(), body.Bytes())
	w.note(path, a)
	return w.made(a, root)
}

// quiet waits until no work is left, and every change has its number.
func (w *twin) quiet() {
	w.t.Helper()
	testkit.Eventually(w.t, "no work is left", func() bool {
		return e2etest.Value[bool](w.t, w.DB, `SELECT NOT EXISTS (SELECT FROM unsealed_changes)
			AND NOT EXISTS (SELECT FROM deliveries WHERE status IN ('pending', 'held')) AND `+e2etest.NoJobLeft)
	}, func() string {
		return e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(jobs::text, E'\n'), '') FROM jobs`)
	})
}

// struck plays a scene while up to most faults of the deck happen.
func (w *twin) struck(r *rand.Rand, most int, scene func()) {
	w.t.Helper()
	var faults sync.WaitGroup
	over := make(chan struct{})
	defer faults.Wait() // of a scene that fails, too
	defer close(over)
	faults.Go(func() {
		for range most {
			if !w.strike(r, over) {
				return
			}
		}
	})
	scene()
}

// strike waits until a fault of the deck is possible, and reports false if the scene is over before. The worker of a
// queue is killed while it runs a job, that of webhooks while it has an attempt open, the others at any time.
func (w *twin) strike(r *rand.Rand, over chan struct{}) bool {
	for {
		select {
		case <-over:
			return false
		case <-time.After(time.Duration(5+r.IntN(60)) * time.Millisecond):
		}
		busy := strings.Fields(e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(DISTINCT queue, ' '), '')
			FROM jobs WHERE leased_until > now() + $1::interval AND (queue <> 'webhooks'
				OR EXISTS (SELECT FROM delivery_attempts WHERE finished_at IS NULL))`,
			(twinLease - 200*time.Millisecond).String()))
		i := slices.IndexFunc(w.deck, func(what string) bool {
			queue, works := strings.CutPrefix(what, "work ")
			return !works || slices.Contains(busy, queue)
		})
		if i < 0 {
			continue
		}
		switch what := w.deck[i]; what {
		case "FLUSHALL":
			w.Flush()
		case "sessions":
			e2etest.Value[int](w.t, w.DB, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE datname = current_database() AND application_name LIKE 'bordero %'`)
		default:
			w.running[what].Kill()
			w.start(what)
		}
		w.t.Logf("after %d scenes: %s", len(w.views), w.deck[i])
		w.deck = slices.Delete(w.deck, i, i+1)
		return true
	}
}
