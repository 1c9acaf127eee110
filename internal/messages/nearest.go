package messages

import "fmt"

// Named returns the fault of an unknown name with a hint that names the most similar of the known ones, if
// one is similar.
func (f *Fault) Named(sent string, known []string) *Fault {
	if nearest := Nearest(sent, known); nearest != "" {
		return f.Hinted(fmt.Sprintf(NearestNamef, nearest) + " " + f.Hint)
	}
	return f
}

// Nearest returns the known name with the least edits from sent, at most a third of its length; ""
// if no name is so near.
func Nearest(sent string, known []string) string {
	nearest, fewest := "", max(1, min(len(sent), maxName)/3)+1
	for _, name := range known {
		if n := Edits(sent, name, fewest); n < fewest {
			nearest, fewest = name, n
		}
	}
	return nearest
}

// maxName is longer than all known names, in bytes.
const maxName = 64

// Edits returns how many insertions, removals and replacements of a byte make one name of the other; most,
// if they are that many or more.
func Edits(a, b string, most int) int {
	if len(a) > maxName || len(b) > maxName || max(len(a), len(b))-min(len(a), len(b)) >= most {
		return most
	}
	row := make([]int, len(b)+1) // the edits from the beginning of a to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], most)
}
