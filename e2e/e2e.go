// Package e2e tests the real binary: `bordero up` as a new user sees it, the
// corpus of statements through the API and the worker, and what becomes of work
// when processes, Redis or PostgreSQL die in the middle of it.
package e2e
