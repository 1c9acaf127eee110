// Package e2e tests the real binary: `bordero up` as a new user sees it, the corpus of
// statements through the API and the worker, and the fate of work when processes, Redis or
// PostgreSQL die.
package e2e
