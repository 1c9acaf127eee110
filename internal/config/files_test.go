package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestValuesComeFromFiles(t *testing.T) {
	t.Parallel()
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	url := "postgres://ana:hunter2@h/b"
	for _, c := range []struct {
		environ []string
		want    string // of the error; none if empty
	}{
		{[]string{"DATABASE_URL_FILE=" + file(url+"\n")}, ""},
		{[]string{"DATABASE_URL=", "DATABASE_URL_FILE=" + file(url+"\r\n")}, ""},
		{[]string{"DATABASE_URL=" + url, "DATABASE_URL_FILE=" + file(url)},
			"DATABASE_URL and DATABASE_URL_FILE are both set"},
		{[]string{"DATABASE_URL_FILE=/nowhere/secret"}, "DATABASE_URL_FILE: open /nowhere/secret: no such file"},
		{[]string{"DATABASE_URL_FILE=" + file("\n")}, "/secret is empty"},
		{[]string{"DATABASE_URL_FILE=" + file(strings.Repeat("x", 64<<10+1))}, "/secret has more than 65536 bytes"},
		{[]string{"DATABASE_URL_FILE=" + file("hunter2")}, "DATABASE_URL must be a postgres:// URL"},
		{[]string{"REDIS_URL=redis://h"}, "DATABASE_URL must be set"},
	} {
		got, err := Load(c.environ, "DATABASE_URL")
		switch {
		case c.want == "" && (err != nil || got.DatabaseURL != url):
			t.Errorf("%q: %q, %v", c.environ, got.DatabaseURL, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(),
			"hunter2")):
			t.Errorf("%q: %v, want %q", c.environ, err, c.want)
		}
	}
	all, err := Settings([]string{"DATABASE_URL_FILE=" + file(url)})
	if err != nil || all[0] != (Setting{"DATABASE_URL", "postgres://ana:********@h/b", true}) {
		t.Errorf("%+v, %v", all, err)
	}
	if got := Unknown([]string{"BORDERO_SMTP_URL_FILE=/run/secrets/smtp"}); got != nil {
		t.Errorf("%q", got)
	}
}
