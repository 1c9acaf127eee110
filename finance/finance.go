// Package finance contains the records of the service and the rules for them, as pure functions
// of values. Every rule can be read and tested without SQL, HTTP, a queue, a clock or a logger.
package finance
