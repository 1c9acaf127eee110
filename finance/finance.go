// Package finance holds what is true: the records of the service and the rules
// over them, as pure functions of values. It is apart so that every rule can be
// read and tested without SQL, HTTP, queue, clock or logger.
package finance
