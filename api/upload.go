package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"unicode"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
)

// uploadStatement takes a statement's file in: its row and the job that reads it
// are one transaction, 201. The file is put under a fresh key before and removed
// when the transaction is rolled back; what a crash leaves behind, the scheduler
// sweeps.
func (a *API) uploadStatement(c *call) error {
	into, err := c.param("deposit_account_id")
	if err != nil {
		return err
	}
	if err := bankStatements.above(c.ctx(), a.Store.Queries, c); err != nil {
		return err // before 50 MiB are read for nothing
	}
	b := &finance.BankStatement{AccountID: c.access.AccountID, DepositAccountID: into}
	if err := a.receiveStatement(c, b); err != nil {
		// Clients write all they have before they read an answer.
		_, _ = io.CopyN(io.Discard, c.Request.Body, a.MaxStatement)
		return err
	}
	referred := false // not by an answer that is given again
	err = a.keep(c, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		if err := holdDepositAccount(ctx, tx, c); err != nil {
			return answer{}, err
		}
		row := *b
		if err := tx.InsertBankStatement(ctx, &row); err != nil {
			return answer{}, err
		}
		err := tx.Enqueue(ctx, row.AccountID, jobs.ImportStatement{AccountID: row.AccountID, BankStatementID: row.ID})
		if err != nil {
			return answer{}, err
		}
		referred = true
		out := bankStatements.document(c, http.StatusCreated, &row)
		out.location = c.url(bankStatements.path(c, &row))
		return out, bankStatements.emit(ctx, tx, c, &row, finance.Created)
	})
	// When the connection broke the commit may have come through all the same: then
	// the row needs its file, and else the scheduler sweeps it.
	if err == nil && !referred || err != nil && !storage.Unavailable(err) && c.ctx().Err() == nil {
		_ = a.Files.Delete(c.ctx(), b.FileKey)
	}
	return err
}

// filePart is the name that clients send the file under (wire.md, section 12).
const filePart = "bank_statement[file]"

// receiveStatement streams the file of the request to object storage and notes
// in b what it is called.
func (a *API) receiveStatement(c *call, b *finance.BankStatement) error {
	media, parameters, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		// A document, or a form that names no file: read for its own errors.
		if _, err := c.input(); err != nil {
			return err
		}
		return finance.Refuse("file", messages.Blank)
	}
	// What is around the file may be as large as a document.
	body := http.MaxBytesReader(c.Writer, c.Request.Body, a.MaxStatement+a.MaxDocument)
	parts := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return finance.Refuse("file", messages.Blank)
		}
		if err != nil {
			return a.unread(err)
		}
		if part.FormName() != filePart {
			continue
		}
		if part.FileName() == "" {
			return finance.Refuse("file", messages.NotFile)
		}
		b.FileFileName = fileName(part.FileName())
		b.FileContentType = contentType(part.Header.Get("Content-Type"))
		_, _ = io.WriteString(c.digest(), part.FileName()+"\n") // never fails
		return a.putStatement(c, io.TeeReader(part, c.digest()), b)
	}
}

// putStatement looks at the head of the file, whatever its name, and streams it.
func (a *API) putStatement(c *call, part io.Reader, b *finance.BankStatement) error {
	file := bufio.NewReaderSize(sent{part, a}, statement.DetectSize)
	head, err := file.Peek(statement.DetectSize)
	if err != nil && err != io.EOF {
		return err
	}
	if len(bytes.TrimSpace(head)) == 0 && err == io.EOF {
		return finance.Refuse("file", messages.Blank)
	}
	if statement.Detect(head) == "" {
		return finance.Refuse("file", messages.NotStatement)
	}
	b.FileKey, b.FileFileSize, err = a.Files.Put(c.ctx(), &limited{file, a.MaxStatement})
	if errors.Is(err, errOverLimit) {
		return tooLargeError(a.MaxStatement)
	}
	return err
}

// sent marks errors of reading the request as the client's.
type sent struct {
	r io.Reader
	*API
}

func (s sent) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = s.unread(err)
	}
	return n, err
}

// unread is what became of an upload that could not be read to its end.
func (a *API) unread(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) {
		return tooLargeError(a.MaxStatement)
	}
	return errBody
}

var errOverLimit = errors.New("over the limit")

// limited fails where a file goes on after n bytes.
type limited struct {
	r io.Reader
	n int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.n -= int64(n); l.n < 0 {
		return 0, errOverLimit
	}
	return n, err
}

// fileName is the last part of the name that was sent, in one line. What names a
// directory names no file.
func fileName(sent string) string {
	name := path.Base(strings.ReplaceAll(sent, `\`, "/"))
	if strings.Trim(name, "./") == "" {
		name = ""
	}
	return shortened(name, "extrato")
}

func contentType(sent string) string {
	media, _, _ := mime.ParseMediaType(sent)
	return cmp.Or(media, "application/octet-stream")
}

// shortened is a text without control characters, at most 255 characters long.
func shortened(text, blank string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 255 {
		text = string(runes[:255])
	}
	return cmp.Or(strings.TrimSpace(text), blank)
}
