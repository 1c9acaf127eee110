// Package walls holds the rules of who may import what, as a test. It is apart
// because the rules are about all rooms and belong to none.
package walls
