package docs

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a public search: of the bytes of its query, of its words, and of its results. The time to find the stems of
// a word grows with the square of its length.
const mostBytes, mostWords, mostFound = 200, 10, 40

// expectedRank is more than any section has by its words.
const expectedRank = 1000

// found is a section that has all words of a search.
type found struct {
	Title, Page, Href, Lang, Excerpt string
	rank                             int
}

// Search returns a page with the sections that have all words of a query, whatever their case, accents and Portuguese
// inflection, or of words that mean the same (synonyms). The section that readers expect (answers) comes first, then
// those with the words in the title.
func (s *Site) Search(query string) File {
	s.stemming.Do(s.stem)
	query = strings.ToValidUTF8(query[:min(len(query), mostBytes)], "")
	content := shown{Lang: "pt-BR", Query: query, Searched: true}
	var asked [][]word
	k := known{}
	all := k.meanings(query)
	expected := k.answer(all[0])
	for _, words := range all {
		asked = append(asked, k.wordsToFind(words))
	}
	for _, p := range s.pages {
		for i, part := range p.Sections {
			best, words := 0, asked[0]
			for _, same := range asked {
				if rank := part.rank(same); rank > best {
					best, words = rank, same
				}
			}
			f := found{Title: part.Title, Page: p.Title, Href: p.Href(), Lang: p.Lang, rank: best}
			if i > 0 {
				f.Href += "#" + part.ID
			}
			if f.Href == expected {
				f.rank += expectedRank
			}
			if f.rank == 0 {
				continue
			}
			f.Excerpt = part.excerpt(words)
			content.Found = append(content.Found, f)
		}
	}
	slices.SortStableFunc(content.Found, func(a, b found) int { return cmp.Compare(b.rank, a.rank) })
	content.Found = content.Found[:min(len(content.Found), mostFound)]
	return s.fill(content)
}

// stem prepares the sections for searches.
func (s *Site) stem() {
	k := known{}
	for _, p := range s.pages {
		for i := range p.Sections {
			part := &p.Sections[i]
			part.titleStems, part.textStems = k.of(part.Title), k.of(part.Text)
		}
	}
}

// word is a word of a query, without case and accents.
type word struct {
	text  string
	stems []string
}

func (k known) wordsToFind(words []string) (all []word) {
	for _, w := range words {
		all = append(all, word{plain(w), k.stems(w)})
	}
	return all
}

// in reports whether one of the stems of the word is among those of a text.
func (w word) in(stems map[string]bool) bool {
	return slices.ContainsFunc(w.stems, func(stem string) bool { return stems[stem] })
}

// wholeFrom is the length from which a part of a word finds it: shorter ones are the beginning of a word, else DRE
// would find address.
const wholeFrom = 4

// within reports whether a text has the word as a part of one of its words.
func (w word) within(text string) bool {
	return len(w.text) >= wholeFrom && strings.Contains(text, w.text) || strings.Contains(" "+text, " "+w.text)
}

// rank returns how well a section fits the words: 0 unless it has all of them. Words in its title
// count more, whole words and other forms of them more than parts; titles of pages count most.
func (s section) rank(words []word) (rank int) {
	titled := false
	for _, w := range words {
		n := 0
		switch {
		case strings.Contains(" "+s.title+" ", " "+w.text+" "):
			n = 8
		case w.in(s.titleStems):
			n = 7
		case len(w.text) >= wholeFrom && strings.Contains(s.title, w.text):
			n = 6
		case len(w.text) >= wholeFrom && strings.Contains(strings.ToLower(s.ID), w.text):
			n = 5
		case w.in(s.textStems):
			n = 2
		case w.within(s.title) || w.within(s.text):
			n = 1
		default:
			return 0
		}
		titled = titled || n > 2
		rank += n
	}
	rank = rank * 10 / max(1, len(words)) // without words, 0
	if s.level == 1 && titled {
		rank += 20
	}
	return rank
}

// excerpt returns the text around the first of the words that occurs in the section.
func (s section) excerpt(words []word) string {
	const before, length = 60, 200
	text, start := []rune(s.Text), 0
	for _, word := range words {
		if i := strings.Index(s.text, word.text); i >= 0 {
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
