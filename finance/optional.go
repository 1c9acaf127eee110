package finance

// OrZero returns what p points to; the zero value for nil.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
