package cli

import (
	"os"

	"bordero/deploy/up"
	"bordero/internal/config"
)

// configCommand prints the configuration in force. It requires no variable.
type configCommand struct {
	JSON bool   `help:"Print JSON, one line per variable."`
	Data string `placeholder:"DIR" help:"Print the configuration of the processes of the bordero up with this --data."`
}

func (c configCommand) Run() error {
	all, err := c.settings()
	if err != nil {
		return err
	}
	return listing[config.Setting]{
		json: c.JSON, columns: []string{"VARIABLE", "VALUE", "FROM"},
		row: func(s config.Setting) []string {
			if s.Set {
				return []string{s.Name, s.Value, "environment"}
			}
			return []string{s.Name, s.Value, "default"}
		},
	}.print(all)
}

// settings returns the configuration of a process with the environment of this process, or the
// configuration of a running `bordero up`.
func (c configCommand) settings() ([]config.Setting, error) {
	if c.Data != "" {
		return up.Settings(c.Data)
	}
	remarkUnknown()
	return config.Settings(os.Environ())
}
