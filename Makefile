.PHONY: up build test race lint fuzz bench vulncheck

up:        ; go run . up
build:     ; go build -o bordero .
test:      ; go test -timeout 20m ./...
race:      ; go test -race -short ./api ./jobs ./scheduler ./storage/... ./workers ./finance/... ./internal/... ./deploy/...
lint:      ; go vet ./... && go tool -modfile=tools/go.mod staticcheck ./... && test -z "$$(gofmt -l .)"
fuzz:      ; go test -run '^$$' -fuzz FuzzReader -fuzztime 1m ./finance/statement
bench:     ; go run ./bench --quick
vulncheck: ; go run golang.org/x/vuln/cmd/govulncheck@latest ./...
