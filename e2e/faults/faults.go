// Package faults breaks the whole service on purpose: every process and both
// servers are killed, stopped, restarted, emptied and filled while clients use the
// public API. At the end whatever was accepted is there, once, and all that is kept
// agrees. Run it with -v to see what was done; docs/faults.md says more.
package faults
