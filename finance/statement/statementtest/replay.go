package statementtest

import (
	"errors"
	"io"
)

// Replay returns a file of any length that is not in memory: it is generated while it is read,
// and again after Seek(0, io.SeekStart), the only supported seek. A file that is not read to its
// end must be closed.
func Replay(write Write, n int, options ...Option) io.ReadSeekCloser {
	return &replay{write: func(w io.Writer) error { return write(w, n, options...) }}
}

type replay struct {
	write func(io.Writer) error
	from  *io.PipeReader // nil at the beginning
}

func (r *replay) Read(p []byte) (int, error) {
	if r.from == nil {
		from, to := io.Pipe()
		go func() { to.CloseWithError(r.write(to)) }()
		r.from = from
	}
	return r.from.Read(p)
}

func (r *replay) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	return 0, r.Close()
}

func (r *replay) Close() error {
	if r.from != nil {
		_ = r.from.Close() // never fails
		r.from = nil
	}
	return nil
}
