// Package jobfaults tests the mechanism of jobs alone, with jobs that only write
// down that they were done: whatever process or server dies or stops under load,
// each is done, and done once. Run it with -v to see how long recoveries took.
package jobfaults
