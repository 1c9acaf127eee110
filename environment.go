package main

import (
	"encoding/json"
	"errors"
	"os"

	"bordero/deploy/up"
	"bordero/internal/config"
	"bordero/storage"
)

// dataFlag lets a command work on what a running `bordero up` works on.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Work on what the bordero up with this --data works on, instead of what the environment names."`
}

// config reads the configuration of a command that needs the database.
func (d dataFlag) config(required ...string) (config.Config, error) {
	environ := os.Environ()
	if d.Data != "" {
		of, err := up.Environ(d.Data)
		if err != nil {
			return config.Config{}, err
		}
		environ = append(environ, of...)
	} else if os.Getenv("DATABASE_URL") == "" {
		return config.Config{}, errors.New("which database? Set DATABASE_URL, or name the directory of a running bordero up: --data .data")
	}
	return config.Load(environ, required...)
}

// store opens the database for a command.
func (d dataFlag) store() (*storage.Store, error) {
	c, err := d.config("DATABASE_URL")
	if err != nil {
		return nil, err
	}
	return storage.Open(c.DatabaseURL, storage.Options{Application: "bordero command", Connections: 2, Timezone: c.Timezone.String()})
}

// printJSON is what scripts read.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
