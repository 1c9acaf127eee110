// Package jobfaults tests the mechanism of jobs alone, with jobs that only record that they were
// done. Whatever process or server dies or stops under load, each job is done, and once. Run it
// with -v to see the recovery times.
package jobfaults
