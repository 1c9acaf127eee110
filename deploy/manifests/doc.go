// Package manifests checks the files of deploy against the types by which Docker Compose and
// Kubernetes read them, and against the service's Procfile and variables.
package manifests
