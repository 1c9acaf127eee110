package cli

import (
	"embed"
	"os"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
)

// completionCommand prints a script by which a shell completes command lines. The script is made from
// the commands themselves, and completes without starting a process.
type completionCommand struct {
	Shell string `arg:"" enum:"bash, zsh, fish" help:"The shell: ${enum}."`
}

//go:embed completion/*.tmpl
var completions embed.FS

func (c completionCommand) Run(parser *kong.Kong) error {
	scripts, err := template.New("").Funcs(template.FuncMap{
		"quote": quote, "names": names, "places": patterns,
		"long": func(flag string) string { return strings.TrimPrefix(flag, "--") },
	}).ParseFS(completions, "completion/*.tmpl")
	if err != nil {
		return err
	}
	return scripts.ExecuteTemplate(os.Stdout, c.Shell+".tmpl", places(parser.Model.Node, ""))
}

// place is the end of a command line with the words that may follow.
type place struct {
	At    string // the commands so far, each after a blank: " token create"
	Words []completed
	Flags []completed
}

// completed is a word that completes a command line.
type completed struct {
	Name, Help string
	Takes      bool // a flag that takes a value
}

// places returns the places of a command and of all commands below it.
func places(command *kong.Node, at string) []place {
	here, below := place{At: at, Words: subcommands(command)}, []place(nil)
	if at == " help" {
		here.Words = subcommands(command.Parent)
	}
	for _, child := range command.Children {
		if !child.Hidden {
			below = append(below, places(child, at+" "+child.Name)...)
		}
	}
	for _, argument := range command.Positional {
		if argument.Enum != "" {
			for _, word := range argument.EnumSlice() {
				here.Words = append(here.Words, completed{Name: word})
			}
		}
	}
	for _, flags := range command.AllFlags(true) {
		for _, f := range flags {
			here.Flags = append(here.Flags, completed{Name: "--" + f.Name, Help: f.Help, Takes: !f.IsBool()})
		}
	}
	return append([]place{here}, below...)
}

func subcommands(of *kong.Node) (all []completed) {
	for _, child := range of.Children {
		if !child.Hidden {
			all = append(all, completed{Name: child.Name, Help: child.Help})
		}
	}
	return all
}

// quote returns a literal that all three shells read alike. The shells escape a single quote in
// different ways, so an apostrophe replaces it.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }

func names(all []completed) string {
	return strings.Join(each(all, func(c completed) string { return c.Name }), " ")
}

// patterns returns the alternatives of a case for all commands.
func patterns(all []place) string {
	return strings.Join(each(all[1:], func(p place) string { return quote(p.At) }), "|")
}
