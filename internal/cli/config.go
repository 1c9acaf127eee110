package cli

import "bordero/internal/config"

// configCommand prints the configuration in force. It requires no variable.
type configCommand struct {
	JSON bool `help:"Print JSON, one line per variable."`
	dataFlag
}

func (c configCommand) Run() error {
	environ, err := c.environ()
	if err != nil {
		return err
	}
	all, err := config.Settings(environ)
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
