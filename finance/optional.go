package finance

// OrZero returns *p, or the zero value if p is nil.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
