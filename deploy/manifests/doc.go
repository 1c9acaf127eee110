// Package manifests holds what is in deploy to the types that Docker Compose and
// Kubernetes read it with, and to what the service is: its Procfile and its
// variables.
package manifests
