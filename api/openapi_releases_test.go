package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bordero/api"
)

var collect = flag.String("collect", "", "store the OpenAPI document of this release under "+
	"testdata/releases/`NAME`.openapi.json.gz")

// Clients are generated from the document of a release, so the later documents only add to it.
func TestTheDocumentOnlyAddsToEarlierReleases(t *testing.T) {
	t.Parallel()
	content := api.OpenAPI("https://api.example.com")
	if *collect != "" {
		var small bytes.Buffer
		w, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // a valid level
		_, _ = w.Write(content)                                   // to memory
		_ = w.Close()
		file := filepath.Join("testdata", "releases", *collect+".openapi.json.gz")
		if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("testdata/releases/*.openapi.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no release was stored: %v", err)
	}
	var now map[string]any
	if err := json.Unmarshal(content, &now); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, complaint := range lost(readDocument(t, file), now, "") {
			t.Errorf("%s: %s", filepath.Base(file), complaint)
		}
	}
}

func readDocument(t *testing.T, file string) (document map[string]any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(plain)
	if err == nil {
		err = json.Unmarshal(all, &document)
	}
	if err != nil || len(document["paths"].(map[string]any)) < 50 {
		t.Fatalf("%s: %v", file, err)
	}
	return document
}

// words are the keys of a document that clients do not rely on.
var words = []string{"description", "summary", "title", "example", "examples", "info", "servers", "tags",
	"externalDocs"}

// lost returns what a client of the former document misses in the present one, each with its place.
func lost(was, now any, place string) (complaints []string) {
	switch was := was.(type) {
	case map[string]any:
		present, _ := now.(map[string]any)
		for key, value := range was {
			if slices.Contains(words, key) && !strings.HasSuffix(place, "/properties") {
				continue
			}
			if present[key] == nil {
				complaints = append(complaints, place+"/"+key+" is gone")
				continue
			}
			complaints = append(complaints, lost(value, present[key], place+"/"+key)...)
		}
	case []any:
		present, _ := now.([]any)
		if strings.HasSuffix(place, "/required") && strings.Contains(place, "Input") { // no more than before
			was, present = present, was
		}
		for _, value := range was {
			if !slices.ContainsFunc(present, func(other any) bool { return same(value, other) }) {
				complaints = append(complaints, fmt.Sprintf("%s: %v is missing, or new", place, value))
			}
		}
	default:
		if was != now && !limits(place) {
			complaints = append(complaints, fmt.Sprintf("%s was %v and is %v", place, was, now))
		}
	}
	return complaints
}

// same reports whether two elements of an array, such as parameters and values of an enumeration, are the
// same to a client.
func same(was, now any) bool { return len(lost(was, now, "")) == 0 }

// limits reports whether a place is a limit of values, which may widen.
func limits(place string) bool {
	return strings.HasSuffix(place, "/maximum") || strings.HasSuffix(place, "/maxLength") ||
		strings.HasSuffix(place, "/maxItems")
}

func TestLostIsFound(t *testing.T) {
	t.Parallel()
	const was = `{"properties": {"name": {"type": "string", "description": "A name."}}, "required": ["name"],
		"enum": ["a", "b"]}`
	for name, c := range map[string]struct {
		now  string
		lost int // of a request and of an answer alike
	}{
		"the same": {was, 0},
		"more": {`{"properties": {"name": {"type": "string"}, "note": {}}, "required": ["name"],
			"enum": ["a", "b", "c"]}`, 0},
		"a property less": {`{"properties": {"note": {}}, "required": ["name"], "enum": ["a", "b"]}`, 1},
		"another type": {`{"properties": {"name": {"type": "integer"}}, "required": ["name"],
			"enum": ["a", "b"]}`, 1},
		"another requirement": {`{"properties": {"name": {"type": "string"}}, "required": ["id"],
			"enum": ["a", "b"]}`, 1},
		"a value less": {`{"properties": {"name": {"type": "string"}}, "required": ["name"], "enum": ["a"]}`, 1},
	} {
		var before, now any
		if json.Unmarshal([]byte(was), &before) != nil || json.Unmarshal([]byte(c.now), &now) != nil {
			t.Fatal(name)
		}
		for _, schema := range []string{"/schemas/SaleInput", "/schemas/Sale"} {
			if got := lost(before, now, schema); len(got) != c.lost {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
