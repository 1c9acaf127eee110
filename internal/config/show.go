package config

import (
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

// Settings lists the effective values of all variables, in the order of Variables. It has the
// errors of Load.
func Settings(environ []string) ([]Setting, error) {
	environ, err := WithFiles(environ)
	if err != nil {
		return nil, err
	}
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

// ofCommands are the variables that only commands and the examples of receivers read, and the two of a profiled binary.
var ofCommands = []string{"BORDERO_URL", "BORDERO_TOKEN", "BORDERO_WEBHOOK_SECRET", "BORDERO_CPUPROFILE",
	"BORDERO_MEMPROFILE"}

// Unknown returns the BORDERO_ variables of the environment that this release does not
// know, without their values.
func Unknown(environ []string) (names []string) {
	known := slices.Clone(ofCommands)
	for _, v := range Variables() {
		known = append(known, v.Name, v.Name+ofFile)
	}
	for name := range env.ToMap(environ) {
		if strings.HasPrefix(name, "BORDERO_") && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
