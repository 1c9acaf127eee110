package rpc_test

import (
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/internal/rpc"
	"bordero/internal/testkit"
	"bordero/storage/storagetest"

	"github.com/hibiken/asynq"
)

// An answer in Redis is readable only by the process that asked, and only as the answer to its
// question. A process of an earlier release, which sends no key, gets a plain one.
func TestAnswersAreSealed(t *testing.T) {
	t.Parallel()
	url := storagetest.RedisURL(t)
	const installation, secret = "0123456789ab", "http://127.0.0.1/files/secret"
	worker, j := open(t, url, installation)
	serve(t, worker, func(string) (string, error) { return secret, nil })
	r := direct(t, url)
	tasks := asynq.NewClientFromRedisClient(r)
	key, err := hpke.DHKEM(ecdh.X25519()).GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	// ask puts a question as a process does, and returns the list and the text of its reply.
	ask := func(name string, fields map[string]any) (list, text string) {
		t.Helper()
		list, err := j.Key(t.Context(), "reply", name)
		if err != nil {
			t.Fatal(err)
		}
		fields["ask"], fields["reply"] = "a file", list
		payload, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tasks.Enqueue(asynq.NewTask(queue, payload), asynq.Queue(queue),
			asynq.TaskID(installation+"."+name)); err != nil {
			t.Fatal(err)
		}
		got, err := r.BLPop(t.Context(), 10*time.Second, list).Result()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return list, got[1]
	}

	if _, text := ask("earlier", map[string]any{}); text != `{"answer":"`+secret+`"}` {
		t.Errorf("an asker without a key gets %s", text)
	}
	list, text := ask("this", map[string]any{"key": key.PublicKey().Bytes()})
	var reply map[string][]byte
	if err := json.Unmarshal([]byte(text), &reply); err != nil || len(reply) != 1 {
		t.Fatalf("the reply is %s: %v", text, err)
	}
	unseal := func(list string) (string, error) {
		plain, err := hpke.Open(key, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), []byte(list), reply["sealed"])
		return string(plain), err
	}
	if plain, err := unseal(list); err != nil || plain != `{"answer":"`+secret+`"}` {
		t.Errorf("unsealed: %q, %v", plain, err)
	}
	if plain, err := unseal(list + "x"); err == nil {
		t.Errorf("unsealed as the answer to another question: %q", plain)
	}
}

// A worker of an earlier release answers in plain text. A sealed answer that another process was
// meant to read is none.
func TestAnswersOfOtherWorkers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply, want, wantErr string
	}{
		"plain":         {reply: `{"answer":"x"}`, want: "x"},
		"a plain error": {reply: `{"answer":"","error":"no such file"}`, wantErr: "no such file"},
		"for another": {reply: `{"sealed":"c29tZWJvZHkgZWxzZSdzIHNlYWxlZCBhbnN3ZXIsIHdoaWNoIGlzIGxvbmcgZW5vdWdo"}`,
			wantErr: rpc.ErrNoAnswer.Error()},
		"sealed nothing": {reply: `{"sealed":"AA=="}`, wantErr: rpc.ErrNoAnswer.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := storagetest.RedisURL(t)
			client, _ := open(t, url, "0123456789ab")
			r := direct(t, url)
			var got string
			var err error
			called := make(chan struct{})
			go func() {
				defer close(called)
				got, err = client.Call(t.Context(), queue, "a")
			}()
			var list string
			testkit.Eventually(t, "the question is in Redis", func() bool {
				names, _ := r.LRange(t.Context(), "asynq:{"+queue+"}:pending", 0, -1).Result()
				if len(names) == 0 {
					return false
				}
				task, _ := r.HGet(t.Context(), "asynq:{"+queue+"}:t:"+names[0], "msg").Result()
				list = regexp.MustCompile(`bordero:0123456789ab:reply:\w+`).FindString(task)
				return list != ""
			})
			if err := r.RPush(t.Context(), list, c.reply).Err(); err != nil {
				t.Fatal(err)
			}
			<-called
			if got != c.want || (err == nil) != (c.wantErr == "") || err != nil &&
				!strings.Contains(err.Error(), c.wantErr) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
