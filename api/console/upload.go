package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bordero/internal/messages"
	"bordero/internal/wire"
)

// upload takes the form with a statement's file, which streams to the API as a preview: 303 to its page or, of a file
// with several accounts, 201 with the pages of all previews.
func (v *visit) upload() error {
	_, parameters, err := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	if err != nil || parameters["boundary"] == "" {
		return errNoForm
	}
	v.Sent = url.Values{}
	file, err := v.readTexts(wire.NewParts(v.r.Body, parameters["boundary"]))
	if err != nil {
		return err
	}
	if err := v.checkForm(v.Sent.Get(formToken)); err != nil {
		return err
	}
	to := v.below()
	var deposits []named
	id := v.Sent.Get("deposit_account")
	if !isID(id) && v.Mapped() {
		v.console.Drain(v.r)
		return v.again(wrong("deposit_account", messages.ChooseAccount), (*visit).statements)
	}
	if isID(id) {
		to += "/deposit_accounts/" + id
	} else if deposits, err = v.deposits(); err != nil { // after the upload, a refusal would hide its previews
		return err
	}
	body, contentType, err := v.previewForm(file)
	if err != nil {
		return err
	}
	a, err := v.ask(http.MethodPost, to+"/bank_statements", body, func(h http.Header) {
		h.Set("Content-Type", contentType)
		if key := v.Sent.Get("key"); key != "" {
			h.Set("Idempotency-Key", key)
		}
	})
	if err != nil {
		return v.again(err, (*visit).statements)
	}
	var made []listedStatement
	if !isID(id) { // the file has chosen the accounts
		if err := json.Unmarshal(a.body.Bytes(), &made); err != nil {
			return err
		}
	}
	if len(made) > 1 {
		return v.show(http.StatusCreated, "statements-made", v.pagesOf(made, deposits))
	}
	return v.done(v.link(a.header.Get("Location")), "")
}

// pagesOf returns the pages of statements, each by the name of its deposit account.
func (v *visit) pagesOf(made []listedStatement, deposits []named) (all []chosen) {
	for _, m := range made {
		of := strconv.FormatInt(m.Statement.DepositAccountID, 10)
		page := chosen{"conta " + of, v.At() + "/deposit_accounts/" + of + "/bank_statements/" +
			strconv.FormatInt(m.Statement.ID, 10)}
		for _, d := range deposits {
			if d.ID == m.Statement.DepositAccountID {
				page.Name = d.Name
			}
		}
		all = append(all, page)
	}
	return all
}

// mostTexts bounds the fields before the file of a form.
const mostTexts = 20

// readTexts reads the fields of a form that precede its file, and returns the file.
func (v *visit) readTexts(parts *wire.Parts) (*multipart.Part, error) {
	for range mostTexts {
		part, err := parts.Next()
		if errors.As(err, new(*messages.Fault)) {
			return nil, v.refused(err)
		}
		if err != nil {
			return nil, errNoForm
		}
		if part.FormName() == "file" {
			return part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, 1000))
		if err != nil {
			return nil, errNoForm
		}
		v.Sent.Add(part.FormName(), string(text))
	}
	return nil, errNoForm
}

// mappingField begins the names of the fields with the columns of a table.
const mappingField = "statement_mapping"

// mapping returns the names of the fields of a mapping that are filled in. They are sorted: their order counts in the
// digest of the request, which a second click must repeat.
func (v *visit) mapping() (names []string) {
	for name := range v.Sent {
		if strings.HasPrefix(name, mappingField) && v.Sent.Get(name) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Mapped reports whether the form of an upload had a mapping.
func (v *visit) Mapped() bool { return len(v.mapping()) > 0 }

// previewForm returns the form with which the API takes a file for a preview, with the mapping that was filled in. The
// file is read when the form is.
func (v *visit) previewForm(file *multipart.Part) (io.Reader, string, error) {
	var head bytes.Buffer
	w := multipart.NewWriter(&head)
	if err := w.WriteField("bank_statement[preview]", "true"); err != nil {
		return nil, "", err
	}
	for _, name := range v.mapping() {
		attribute := strings.TrimPrefix(name, mappingField)
		if err := w.WriteField("bank_statement["+mappingField+"]"+attribute, v.Sent.Get(name)); err != nil {
			return nil, "", err
		}
	}
	_, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{
			"name": "bank_statement[file]", "filename": file.FileName()})},
		"Content-Type": {cmp.Or(file.Header.Get("Content-Type"), "application/octet-stream")},
	})
	tail := fmt.Sprintf("\r\n--%s--\r\n", w.Boundary())
	return io.MultiReader(&head, file, strings.NewReader(tail)), w.FormDataContentType(), err
}
