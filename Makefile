.PHONY: up build test race lint fuzz bench vulncheck

up:        ; go run . up
build:     ; go build -o bordero .
test:      ; go test -timeout 20m ./...
race:      ; CGO_ENABLED=1 go test -race -short -timeout 20m ./api ./jobs ./scheduler ./storage/... ./workers ./finance ./finance/taxid ./internal/... ./deploy/...
lint:      ; go vet ./... && go tool -modfile=tools/go.mod staticcheck ./... && test -z "$$(gofmt -l .)"
fuzz:      ; for f in OFX OFC QIF Amount; do go test -run '^$$' -fuzz "^Fuzz$$f\$$" -fuzztime 1m ./finance/statement || exit 1; done
bench:     ; go run ./bench --quick
vulncheck: ; go run golang.org/x/vuln/cmd/govulncheck@latest ./...
