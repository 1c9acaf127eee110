package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"bordero/finance"

	"github.com/mattn/go-isatty"
)

// previewedFile is the result of a file with --preview, as a line of JSON. importedFile describes the
// import if the preview was confirmed, else the preview.
type previewedFile struct {
	importedFile
	Items []previewedItem `json:"items"`
}

// previewedItem is an item of a preview with its outcome: imported, or ignored for a reason.
type previewedItem struct {
	Line        int64   `json:"line"`
	Day         *string `json:"occurred_at"`
	Amount      *string `json:"amount"`
	Description *string `json:"description"`
	Outcome     string  `json:"outcome"`
	Suspect     bool    `json:"suspect"`
}

// end is the outcome for people.
func (i previewedItem) end() string {
	if i.Suspect {
		return i.Outcome + ", suspect"
	}
	return i.Outcome
}

// previewFiles previews the files one after the other, and imports the confirmed ones. A declined
// preview is deleted. If there is nobody to ask, the preview stays until it expires.
func (c *importCommand) previewFiles(ctx context.Context, u *uploader, files []importedFile) error {
	lost, tried, stop := 0, 0, false
	for i, f := range files {
		u.place(i, len(files))
		previews := []previewedFile{{importedFile: f}}
		switch {
		case f.Status != "":
		case stop:
			previews[0].Status = statusUntried
		default:
			previews, stop = u.previewFile(ctx, f.File)
		}
		if f.Status != statusSkipped {
			tried++
		}
		failed := false
		for _, f := range previews {
			end, err := c.endPreview(ctx, u, &f)
			if err != nil {
				return err
			}
			stop, failed = stop || end, failed || f.lost()
		}
		if failed {
			lost++
		}
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; the server continues with what was confirmed, and running this again is safe")
	case lost > 0:
		return fmt.Errorf("neither previewed nor imported: %d of %d files", lost, tried)
	}
	return nil
}

// endPreview prints a preview, and imports it if it is confirmed. It returns stop as importFile does.
func (c *importCommand) endPreview(ctx context.Context, u *uploader, f *previewedFile) (stop bool, err error) {
	if !c.JSON && f.Status != statusSkipped {
		if err := f.print(); err != nil {
			return false, err
		}
	}
	if f.Status == finance.ImportPreviewed && c.confirms(ctx, f.importedFile) {
		stop = u.confirm(ctx, &f.importedFile, c.asks())
		c.say(f.importedFile)
	} else if f.Status == finance.ImportPreviewed && c.asks() && ctx.Err() == nil {
		_, err := u.ask(ctx, http.MethodDelete, u.address(f.DepositAccountID, f.StatementID))
		if err != nil && !errors.Is(err, errGone) {
			return stop, err
		}
	}
	if c.JSON {
		return stop, printJSON(f)
	}
	return stop, nil
}

// asks reports whether to ask the user: on a terminal, without --json and --confirm.
func (c *importCommand) asks() bool {
	return !c.JSON && !c.Confirm && isatty.IsTerminal(os.Stdin.Fd()) && isatty.IsTerminal(os.Stderr.Fd())
}

// confirms reports whether to import a file after its preview. No answer is no.
func (c *importCommand) confirms(ctx context.Context, f importedFile) bool {
	if !c.asks() {
		return c.Confirm
	}
	spite := ""
	if codes := f.Warnings.Unaccepted(c.Accept); len(codes) > 0 {
		spite = " in spite of " + strings.Join(codes, ", ")
	}
	fmt.Fprintf(os.Stderr, "Import %s%s? [y/N] ", f.File, spite)
	answers := make(chan string, 1)
	go func() { // an interrupt does not end the read
		answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(answer))
	}()
	select {
	case <-ctx.Done():
		return false
	case answer := <-answers:
		return answer == "y" || answer == "yes"
	}
}

// say prints the outcome of an import.
func (c *importCommand) say(f importedFile) {
	if !c.JSON {
		fmt.Fprintf(os.Stderr, "%s: %s: %s\n", f.File, f.Status, f.Output)
	}
	c.remark(f)
}

// print prints the items as a table, and the outcome of the preview on the standard error.
func (f previewedFile) print() error {
	if len(f.Items) > 0 {
		t := newTable("FILE", "LINE", "DAY", "AMOUNT", "OUTCOME", "DESCRIPTION")
		for _, i := range f.Items {
			t.row(f.File, fmt.Sprint(i.Line), finance.OrZero(i.Day), finance.OrZero(i.Amount), i.end(),
				finance.OrZero(i.Description))
		}
		if err := t.end(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(os.Stderr, "%s: %s: %s\n", f.File, f.Status, f.Output)
	return err
}

// previewFile uploads one file for a preview, waits for its end and reads the items, of each account of a routed file.
// stop reports whether the other files would fail for the same reason.
func (u *uploader) previewFile(ctx context.Context, name string) (previews []previewedFile, stop bool) {
	results, stop := u.importFile(ctx, name)
	for _, f := range results {
		p := previewedFile{importedFile: f}
		if f.Status == finance.ImportPreviewed {
			var err error
			if p.Items, err = u.items(ctx, f); err != nil {
				p.Status, p.Output = failed, err.Error()
				stop = stop || errors.As(err, new(fatalError)) || ctx.Err() != nil
			}
		}
		previews = append(previews, p)
	}
	return previews, stop
}

// confirm imports the file of a preview, and waits for the end. If the user was asked, the answer also accepts
// the warnings of the preview.
func (u *uploader) confirm(ctx context.Context, f *importedFile, asked bool) (stop bool) {
	bar := u.newProgress(f.File)
	defer bar.clear()
	below := "/confirm"
	if codes := f.Warnings.Unaccepted(u.accept); asked && len(codes) > 0 {
		below += "?" + accepting(codes).Encode()
	}
	answer, err := u.ask(ctx, http.MethodPost, u.address(f.DepositAccountID, f.StatementID)+below)
	var s uploaded
	if err == nil {
		err = answer.into(&s)
	}
	if err != nil {
		f.Status, f.Output = failed, err.Error()
		return errors.As(err, new(fatalError)) || ctx.Err() != nil
	}
	return u.await(ctx, f, s, bar)
}

// items reads the items of a statement.
func (u *uploader) items(ctx context.Context, f importedFile) (all []previewedItem, err error) {
	const size = 500
	for page := 1; ; page++ {
		answer, err := u.ask(ctx, http.MethodGet, u.address(f.DepositAccountID, f.StatementID)+
			fmt.Sprintf("/items?per_page=%d&page=%d", size, page))
		if err != nil {
			return nil, err
		}
		var items []struct {
			Item previewedItem `json:"bank_statement_item"`
		}
		if err := json.Unmarshal(answer.body, &items); err != nil {
			return nil, errForeign
		}
		for _, i := range items {
			all = append(all, i.Item)
		}
		if len(items) < size {
			return all, nil
		}
	}
}
