//go:build ignore

// A receiver of notifications in JSON or XML that uses only Go's library:
//
//	BORDERO_WEBHOOK_SECRET=… PORT=9000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tolerance is how old a message may be; older ones may be replays.
const tolerance = 5 * time.Minute

// genuine reports whether a message was signed with the secret, and recently.
func genuine(h http.Header, body []byte, secret string, now time.Time) bool {
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(h.Get("webhook-signature")) { // two while a secret is rotated
		if hmac.Equal([]byte(signature), []byte(want)) {
			return true
		}
	}
	return false
}

// eventOf returns the event of a notification, "" for the test of a new webhook.
func eventOf(h http.Header, body []byte) (string, error) {
	parse := json.Unmarshal
	if strings.Contains(h.Get("Content-Type"), "xml") {
		parse = xml.Unmarshal
	}
	var notification struct {
		Event string `json:"event" xml:"event"`
	}
	err := parse(body, &notification)
	return notification.Event, err
}

// receiver acts on each notification once. Record what is done in your database, under a unique
// key, in the transaction of the effect.
type receiver struct {
	secret string
	mu     sync.Mutex
	done   map[string]bool // by webhook-id
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 1<<20))
	if err != nil || !genuine(q.Header, body, r.secret, time.Now()) {
		http.Error(w, "not signed", http.StatusUnauthorized)
		return
	}
	event, err := eventOf(q.Header, body)
	if err != nil {
		http.Error(w, "neither JSON nor XML", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if id := q.Header.Get("webhook-id"); event != "" && !r.done[id] {
		fmt.Println("event", event) // put it into a queue: the response must come within ten seconds
		r.done[id] = true
	}
	w.WriteHeader(http.StatusOK) // no other status: 201, 202 and 204 count as failures
}

func main() {
	secret := os.Getenv("BORDERO_WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("BORDERO_WEBHOOK_SECRET is empty")
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	log.Fatal(http.Serve(l, &receiver{secret: secret, done: map[string]bool{}}))
}
