package api_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"bordero/api"
)

var collect = flag.String("collect", "", "store the OpenAPI document of this release under "+
	"testdata/releases/`NAME`.openapi.json.gz")

// TestCollectDocument stores the document of a release, with which tools/breaking compares the later ones.
func TestCollectDocument(t *testing.T) {
	if *collect == "" {
		t.Skip("for a release")
	}
	var small bytes.Buffer
	w, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // a valid level
	_, _ = w.Write(api.OpenAPI("https://api.example.com"))    // to memory
	_ = w.Close()
	file := filepath.Join("testdata", "releases", *collect+".openapi.json.gz")
	if err := os.WriteFile(file, small.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
