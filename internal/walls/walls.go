// Package walls tests which package may import which, and that comments and documents cite
// what exists.
package walls
