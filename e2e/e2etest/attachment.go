package e2etest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// Attach uploads a file as an attachment of the entity and returns its path. Any status but 201
// is an error.
func (c *Client) Attach(name string, content io.Reader) (string, error) {
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		part, err := form.CreateFormFile("attachment[attachment]", name)
		if err == nil {
			_, err = io.Copy(part, content)
		}
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	answer, err := c.Do(http.MethodPost, paths.Attachments(c.Entity), form.FormDataContentType(), r)
	if err != nil {
		return "", err
	}
	if answer.Status != http.StatusCreated {
		return "", Refused{answer}
	}
	var made struct{ Attachment struct{ ID int64 } }
	if err := json.Unmarshal(answer.Body, &made); err != nil {
		return "", err
	}
	return paths.Attachment(c.Entity, made.Attachment.ID), nil
}

// Address requests the URL of the file at path until it is available.
func (c *Client) Address(t testing.TB, path string) (address string) {
	t.Helper()
	testkit.Eventually(t, "an address of a file", func() bool {
		answer, err := c.Do(http.MethodGet, path+"/download", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Status != http.StatusFound && answer.Status != http.StatusServiceUnavailable {
			t.Fatal(Refused{answer})
		}
		address = answer.Header.Get("Location")
		return address != ""
	})
	return address
}

// Fetch requests a URL without a token.
func Fetch(t testing.TB, address string) Answer {
	t.Helper()
	answer, err := visitor.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", address, err))
	}
	return Answer{answer.StatusCode, answer.Header, body}
}
