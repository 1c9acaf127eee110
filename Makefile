# As in .ci/run, tools/release and deploy/Dockerfile: Gin without a format that the API does not speak (decision 0051).
export GOFLAGS := $(GOFLAGS) -tags=nomsgpack

.PHONY: help up build test ci long lint fuzz bench vulncheck release

help:      ; @sed -n "s/^\([a-z]*\): .*## /\1\t/p" Makefile | expand -t 12   ## this list
up:        ; go run . up                ## the whole service on this machine
build:     ; go build -o bordero .      ## the binary
test:      ; go test ./...              ## the tests
ci:        ; .ci/run                    ## all checks that must pass before a change is merged
long:      ; tools/long                 ## the long tier
lint:      ; go vet ./... && go tool -modfile=tools/go.mod staticcheck ./... && test -z "$$(gofmt -l .)"    ## only the linters
fuzz:      ; tools/fuzz 200000 guided   ## the readers of statements, texts and cursors, up to a minute for each kind
bench:     ; go run ./bench --quick     ## the main paths against their floors
release:   ; tools/release              ## binaries, Debian packages, bills of materials and checksums of this commit, in dist/
vulncheck: ; go tool -modfile=tools/go.mod govulncheck ./...    ## known vulnerabilities of the dependencies
