package cli

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"runtime/debug"

	"bordero/internal/metrics"
	"bordero/migrations"
)

// versionCommand prints the source and the Go release of this binary, as Go recorded them.
type versionCommand struct {
	Binary string `arg:"" optional:"" help:"With --sbom: a binary of this release, for any platform; without it, the one that runs."`
	JSON   bool   `help:"Print JSON."`
	SBOM   bool   `name:"sbom" help:"Print the bill of materials: CycloneDX 1.6 in JSON."`
}

// release is the newest release: the first version with a heading in CHANGELOG.md.
const release = "0.3.0"

// version is the output of `version --json`. A field that Go did not record is empty.
type version struct {
	Version  string `json:"version"` // the release; with the commit if that is not the release's
	Revision string `json:"revision"`
	Time     string `json:"time"` // of the commit
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Schema   int64  `json:"schema"` // the newest migration that the binary contains
}

func (v versionCommand) Run() error {
	switch {
	case v.SBOM:
		info, err := v.read()
		if err != nil {
			return err
		}
		return printJSON(billOfMaterials(info))
	case v.Binary != "":
		return wrongUsage("%s: of another binary only the bill of materials is printed, with --sbom", v.Binary)
	}
	built := buildVersion()
	if v.JSON {
		return printJSON(built)
	}
	fmt.Printf("bordero %s\ncommit  %s %s\ngo      %s\nschema  %d\n", built.Version, built.Revision, built.Time,
		built.Go, built.Schema)
	return nil
}

// read returns the build information of the binary.
func (v versionCommand) read() (*debug.BuildInfo, error) {
	if v.Binary != "" {
		return buildinfo.ReadFile(v.Binary)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("this binary has no build information")
	}
	return info, nil
}

// build returns the labels of the process in the metrics.
func (v version) build() metrics.Build {
	return metrics.Build{Version: v.Version, Revision: v.Revision, Go: v.Go}
}

func buildVersion() version {
	v := version{Version: release, Schema: migrations.Latest()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	if v.Revision != "" && (info.Main.Version != "v"+release || v.Modified) {
		v.Version += "+" + v.Revision[:min(len(v.Revision), 12)]
	}
	return v
}
