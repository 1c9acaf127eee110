package config

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Setting is a variable with its effective value, fit to be shown: secrets are hidden.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Set   bool   `json:"set"` // by the environment; otherwise the value is the default
}

// Settings lists the effective values of all variables, in the order of Variables. Its
// errors are those of Load.
func Settings(environ []string) ([]Setting, error) {
	c, err := Load(environ)
	if err != nil {
		return nil, err
	}
	set := env.ToMap(environ)
	var all []Setting
	for _, v := range Variables() {
		s := Setting{Name: v.Name, Value: set[v.Name], Set: set[v.Name] != ""}
		if !s.Set {
			s.Value = v.Default
			if field := reflect.ValueOf(c).FieldByName(v.field); field.Kind() == reflect.String {
				s.Value = field.String() // the default may follow from other variables
			}
		}
		if v.Secret && s.Value != "" {
			s.Value = hidden
		}
		s.Value = mask(s.Value)
		all = append(all, s)
	}
	return all, nil
}

const hidden = "********"

var secretParameter = regexp.MustCompile(`(?i)pass|secret|token|key|credential`)

// mask hides the password of a URL, and query parameters that may be secrets.
func mask(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" || u.Host == "" && u.User == nil && u.RawQuery == "" {
		return value
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), hidden)
	}
	parts := strings.Split(u.RawQuery, "&")
	for i, part := range parts {
		if name, _, ok := strings.Cut(part, "="); ok && secretParameter.MatchString(name) {
			parts[i] = name + "=" + hidden
		}
	}
	u.RawQuery = strings.Join(parts, "&")
	return strings.ReplaceAll(u.String(), url.QueryEscape(hidden), hidden)
}

// ofCommands are the variables that only commands read, and the two of a profiled binary.
var ofCommands = []string{"BORDERO_URL", "BORDERO_TOKEN", "BORDERO_CPUPROFILE", "BORDERO_MEMPROFILE"}

// retired are the variables of earlier releases without an effect, and the reason.
var retired = map[string]string{
	"BORDERO_TASK_CHECK_INTERVAL": "workers are woken and no longer poll",
}

// Unknown returns a sentence for each BORDERO_ variable of the environment that this
// release does not know, with the name that may be meant. It omits the values.
func Unknown(environ []string) []string {
	known := slices.Clone(ofCommands)
	for _, v := range Variables() {
		known = append(known, v.Name)
	}
	var sentences []string
	for _, assignment := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(assignment, "=")
		if !strings.HasPrefix(name, "BORDERO_") || slices.Contains(known, name) {
			continue
		}
		sentence := name + " is not a variable of this release"
		if why := retired[name]; why != "" {
			sentences = append(sentences, sentence+" any more: "+why)
			continue
		}
		if near := nearest(name, known); near != "" {
			sentence += fmt.Sprintf("; is %s meant?", near)
		}
		sentences = append(sentences, sentence)
	}
	return sentences
}

// nearest returns the known name with the fewest changes, at most three, or "".
func nearest(name string, known []string) (near string) {
	least := 4
	for _, k := range known {
		if d := distance(name, k); d < least {
			near, least = k, d
		}
	}
	return near
}

// distance returns how many letters must be inserted, removed or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
