// Package faults breaks the whole service on purpose. It kills, stops, restarts, empties and
// fills every process and both servers while clients use the public API. At the end, everything
// that was accepted is stored, once, and all stored data agrees. Run it with -v for a report;
// see docs/faults.md.
package faults
