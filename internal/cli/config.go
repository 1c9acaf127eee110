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
	rows := [][]string{{"VARIABLE", "VALUE", "FROM"}}
	for _, s := range all {
		if c.JSON {
			if err := printJSON(s); err != nil {
				return err
			}
			continue
		}
		from := "default"
		if s.Set {
			from = "environment"
		}
		rows = append(rows, []string{s.Name, s.Value, from})
	}
	if c.JSON {
		return nil
	}
	return printTable(rows)
}
