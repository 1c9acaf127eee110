package statement

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"strings"

	"bordero/internal/messages"
)

const (
	workbookPart = "xl/workbook.xml"
	maxSheets    = 200
	headerRows   = 10_000 // of a sheet, in which the header must be
)

// relationships are the links of a part to others.
type relationships struct {
	All []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// sheets returns the part of each sheet by its name in lower case. excelize finds the sheets by the same links, and
// reads the beginning of each: they are few, each has a part of its own, and no other part is the workbook. A link
// without a part is no sheet.
func (p parts) sheets() (map[string]*zip.File, error) {
	var root, links relationships
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if p.parse("_rels/.rels", &root) != nil || p.parse(workbookPart, &book) != nil ||
		p.parse("xl/_rels/workbook.xml.rels", &links) != nil {
		return nil, &Error{0, messages.BrokenBook}
	}
	for _, l := range root.All {
		if strings.HasSuffix(l.Type, "/officeDocument") && strings.TrimPrefix(l.Target, "/") != workbookPart {
			return nil, &Error{0, messages.BrokenBook}
		}
	}
	if len(book.Sheets) > maxSheets {
		return nil, &Error{0, fmt.Sprintf(messages.ManySheetsf, maxSheets)}
	}
	linked, taken := map[string]*zip.File{}, map[*zip.File]bool{}
	for _, l := range links.All {
		target := l.Target
		if !strings.HasPrefix(target, "/") {
			target = path.Join("xl", target)
		}
		linked[l.ID] = p[strings.TrimPrefix(target, "/")]
	}
	all := map[string]*zip.File{}
	for _, s := range book.Sheets {
		part, name := linked[s.ID], strings.ToLower(s.Name)
		switch {
		case part == nil:
			continue
		case taken[part], all[name] != nil:
			return nil, &Error{0, messages.BrokenBook}
		}
		taken[part], all[name] = true, part
	}
	return all, nil
}

func (p parts) parse(name string, into any) error {
	part := p[name]
	if part == nil {
		return errors.New("no such part")
	}
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return xml.NewDecoder(r).Decode(into)
}
