package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"bordero/internal/blobs"
	"bordero/storage"
	"bordero/storage/verify"
)

// verifyCommand checks every stored total and state against its source rows. The exit status is 1 for a
// difference, as for a failure.
type verifyCommand struct {
	JSON  bool `help:"Print JSON, one line per difference."`
	Files bool `help:"List the rows whose file is missing and the files without a row instead. A file without a row may still get it if it was stored less than an hour before the oldest open transaction began, or later: such files are not judged, only counted, with --json in a last line {\"files_not_judged\":N} if there are any."`
	dataFlag
}

func (v verifyCommand) Run(ctx context.Context) error {
	s, err := v.readOnly(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	found, agree, young := []verify.Difference(nil), "", 0
	if v.Files {
		found, agree, young, err = v.compareFiles(ctx, s)
	} else {
		found, agree, err = compareSums(ctx, s)
	}
	if err != nil {
		return err
	}
	err = listing[verify.Difference]{
		json: v.JSON, none: agree,
		columns: []string{"CHECK", "ACCOUNT", "RECORD", "EXPECTED", "FOUND"},
		row: func(d verify.Difference) []string {
			return []string{d.Check, fmt.Sprint(d.AccountID), d.Record, d.Expected, d.Found}
		},
	}.print(found)
	if err == nil && young > 0 {
		err = v.printUnjudged(young)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	return fmt.Errorf("differences found: %d", len(found))
}

// youngFiles is the line of JSON about files that were not judged.
type youngFiles struct {
	NotJudged int `json:"files_not_judged"`
}

// printUnjudged prints how many files without a row may still get one.
func (v verifyCommand) printUnjudged(n int) error {
	if v.JSON {
		return printJSON(youngFiles{n})
	}
	_, err := fmt.Fprintf(os.Stderr, "files without a row that may still get one, not judged: %d\n", n)
	return err
}

// compareSums returns the differences of stored totals and states.
func compareSums(ctx context.Context, s *storage.Store) (found []verify.Difference, agree string, err error) {
	bar, checked := newProgress("verify"), 0
	defer bar.clear()
	found, err = verify.Run(ctx, s, func(check string) {
		bar.show(float64(checked)/float64(verify.Checks()), check)
		checked++
	})
	return found, fmt.Sprintf("everything agrees: %d checks", verify.Checks()), err
}

// compareFiles returns the differences between the files and their rows; young is that of verify.Files.
func (v verifyCommand) compareFiles(ctx context.Context, s *storage.Store) (found []verify.Difference, agree string,
	young int, err error) {
	c, err := v.config("BORDERO_FILES_URL")
	if err != nil {
		return nil, "", 0, err
	}
	files, err := blobs.OpenPresent(ctx, c.FilesURL)
	if err != nil {
		return nil, "", 0, err
	}
	defer files.Close()
	files.BelongTo(s.Installation)
	if err := files.CheckMark(ctx); err != nil { // in the store of another installation, all files would be missing
		return nil, "", 0, err
	}
	bar, n := newProgress("verify"), 0
	defer bar.clear()
	found, young, err = verify.Files(ctx, s, func(yield func(verify.File, error) bool) {
		for f, err := range files.Files(ctx) {
			if n++; err == nil && n%1000 == 1 {
				directory, _ := strconv.ParseUint(f.Key[:2], 16, 8) // by which files are listed
				bar.show(float64(directory)/256, fmt.Sprintf("%d files", n))
			}
			if !yield(verify.File(f), err) {
				return
			}
		}
	}, files.Missing)
	return found, fmt.Sprintf("every row has its file, and every file a row: %d files", n-young), young, err
}
