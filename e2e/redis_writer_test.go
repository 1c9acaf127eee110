package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/download"
	"bordero/internal/testkit"
	"bordero/jobs/broker"

	"github.com/hibiken/asynq"
)

// See docs/security.md, What a writer to Redis can do. The tests of claims cover tasks that name
// a job of another kind, or one that is not due.
func TestAWriterToRedisStopsWorkUntilItIsEmptied(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	api, scheduler := s.Serve()
	worker := s.Start("work", "statements").Ready()
	into := s.NewDepositAccount(t, "")
	s.CommandRedis("SET", "bordero:installation", "ba9876543210")
	scheduler.Unready()
	worker.Unready()
	testkit.Eventually(t, "the API is degraded", func() bool {
		status, states := e2etest.Readiness(t, api.Ops)
		return status == http.StatusOK && states["redis"] == "degraded"
	})
	waiting := s.MustUpload(t, into, statementtest.OFX(10))
	for _, words := range [][]string{{"work", "statements"}, {"scheduler"}} {
		_, stderr, err := e2etest.Command(t, s.Env, words...)
		if err == nil || err.Error() != "exit status 1" || // it ends by itself
			!strings.Contains(stderr, "carries the work of installation ba9876543210") {
			t.Errorf("%v: %v, %s", words, err, stderr)
		}
	}
	s.CommandRedis("FLUSHALL")
	if b := s.AwaitEnd(t, waiting); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	s.CommandRedis("DEL", "asynq:{statements}:pending")
	s.CommandRedis("SET", "asynq:{statements}:pending", "not a list")
	waiting = s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
	s.CommandRedis("FLUSHALL")
	if b := s.AwaitEnd(t, waiting); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	s.Settled()
}

// The file's key is in no row. Keys of other files cannot be guessed: they are as good as random.
func TestAWriterToRedisGetsNoAddressOfAFileThatIsNot(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Start("work", "signing").Ready()
	r, err := broker.OpenRedis(s.Redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask, err := json.Marshal(map[string]any{"reply": "stolen", "ask": download.SignURL{
		AccountID: 1, FileKey: "ab/" + strings.Repeat("0", 30)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := asynq.NewClientFromRedisClient(r).Enqueue(asynq.NewTask(download.SigningQueue, ask),
		asynq.Queue(download.SigningQueue)); err != nil {
		t.Fatal(err)
	}
	got, err := r.BLPop(t.Context(), 20*time.Second, "stolen").Result()
	if err != nil || strings.Contains(got[1], "answer\":\"http") || !strings.Contains(got[1], "error") {
		t.Errorf("the answer is %q, %v", got, err)
	}
}
