package cli

import (
	"runtime/debug"
	"strings"
)

// bill is a CycloneDX document, with the fields that we can fill.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   billSubject `json:"metadata"`
	Components []component `json:"components"`
}

type billSubject struct {
	Component component `json:"component"`
}

type component struct {
	Type    string     `json:"type"`
	Ref     string     `json:"bom-ref"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	PURL    string     `json:"purl"`
	More    []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// billOfMaterials lists the linked modules and the Go release that linked them. A module has its h1 sum
// of go.sum as a property: CycloneDX has no name for that hash.
func billOfMaterials(info *debug.BuildInfo) bill {
	main := info.Main
	if main.Version == "(devel)" { // Go did not record the commit
		main.Version = "v" + release
	}
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: billSubject{module(main, "application")}}
	b.Metadata.Component.More = nil
	for _, s := range info.Settings {
		b.Metadata.Component.More = append(b.Metadata.Component.More, property{"go:build:" + s.Key, s.Value})
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, component{
		Type: "library", Ref: "pkg:golang/stdlib@" + goVersion, Name: "stdlib", Version: goVersion,
		PURL: "pkg:golang/stdlib@" + goVersion,
	})
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		b.Components = append(b.Components, module(*d, "library"))
	}
	return b
}

func module(m debug.Module, kind string) component {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Type: kind, Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	if m.Sum != "" {
		c.More = []property{{"go:sum", m.Sum}}
	}
	return c
}
