package docs

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a public search: of its words, and of its results.
const mostWords, mostFound = 10, 40

// found is a section that has all words of a search.
type found struct {
	Title, Page, Href, Excerpt string
	rank                       int
}

// Search returns a page with the sections that have all words of a query, whatever their case and
// accents. Sections with the words in the title come first.
func (s *Site) Search(query string) File {
	content := shown{Lang: "pt-BR", Query: query, Searched: true}
	words := strings.Fields(plain(query))
	words = words[:min(len(words), mostWords)]
	for _, p := range s.pages {
		for i, part := range p.Sections {
			f := found{Title: part.Title, Page: p.Title, Href: p.Href(), Excerpt: part.excerpt(words)}
			if i > 0 {
				f.Href += "#" + part.ID
			}
			if f.rank = part.rank(words); f.rank > 0 {
				content.Found = append(content.Found, f)
			}
		}
	}
	slices.SortStableFunc(content.Found, func(a, b found) int { return cmp.Compare(b.rank, a.rank) })
	content.Found = content.Found[:min(len(content.Found), mostFound)]
	return s.fill(content)
}

// rank returns how well a section fits the words: 0 unless it has all of them. Words in its title
// count more; whole words and titles of pages count most.
func (s section) rank(words []string) (rank int) {
	for _, word := range words {
		switch {
		case strings.Contains(" "+s.title+" ", " "+word+" "):
			rank += 4
		case strings.Contains(s.title, word):
			rank += 3
		case strings.Contains(strings.ToLower(s.ID), word):
			rank += 2
		case strings.Contains(s.text, word):
			rank++
		default:
			return 0
		}
	}
	if s.level == 1 && rank > len(words) {
		rank += 2
	}
	return rank
}

// excerpt returns the text around the first of the words that occurs in the section.
func (s section) excerpt(words []string) string {
	const before, length = 60, 200
	text, start := []rune(s.Text), 0
	for _, word := range words {
		if i := strings.Index(s.text, word); i >= 0 {
			start = min(max(0, utf8.RuneCountInString(s.text[:i])-before), len(text))
			break
		}
	}
	cut := string(text[start:min(start+length, len(text))])
	if start > 0 {
		_, cut, _ = strings.Cut(cut, " ")
		cut = "… " + cut
	}
	if start+length < len(text) {
		cut = cut[:max(0, strings.LastIndex(cut, " "))] + " …"
	}
	return cut
}
