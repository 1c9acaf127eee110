package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// ofFile is the end of the name of a variable that names a file: NAME_FILE has the value of NAME.
const ofFile = "_FILE"

// maxFileBytes is far above the size of a URL or a list of keys.
const maxFileBytes = 64 << 10

// WithFiles returns environ, a list of NAME=value, in which NAME=value takes the place of each NAME_FILE that names a
// file. The value is the content of the file without line ends after it. So a secret of Docker, Kubernetes or systemd
// (LoadCredential) is in no environment of a unit or container. A file that is missing, empty or larger than 64 KiB,
// and a variable that is set beside its file, are errors, without values.
func WithFiles(environ []string) ([]string, error) {
	set := env.ToMap(environ)
	resolved := slices.Clone(environ)
	var faults []error
	for _, v := range Variables() {
		path := set[v.Name+ofFile]
		if path == "" {
			continue
		}
		value, err := contentOf(path)
		switch {
		case set[v.Name] != "":
			err = fmt.Errorf("%s and %[1]s%s are both set", v.Name, ofFile)
		case err != nil:
			err = fmt.Errorf("%s%s: %w", v.Name, ofFile, err)
		default:
			resolved = slices.DeleteFunc(resolved, func(variable string) bool {
				return strings.HasPrefix(variable, v.Name+"=") || strings.HasPrefix(variable, v.Name+ofFile+"=")
			})
			resolved = append(resolved, v.Name+"="+value)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("bad configuration: %w", err)
	}
	return resolved, nil
}

func contentOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	value := strings.TrimRight(string(content), "\r\n")
	switch {
	case err != nil:
		return "", err
	case len(content) > maxFileBytes:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxFileBytes)
	case value == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return value, nil
}
