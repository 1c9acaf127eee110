// The command typecheck checks the types of the service and its tests for macOS, where people
// develop. It reads the sources of all dependencies: compiling them for another system, as go vet
// does, takes twenty times as long where nothing is cached.
package main

import (
	"log"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	all, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true, Dir: "..", Env: append(os.Environ(), "GOOS=darwin", "GOARCH=arm64",
			"CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=pictures"}, // no other stage reads the tests that make the documents' pictures
	}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	if n := packages.PrintErrors(all); n > 0 {
		log.Fatalf("%d errors", n)
	}
}
