// Package walls tests which package may import which, that comments and documents cite existing
// names, and that comments use plain words.
package walls
