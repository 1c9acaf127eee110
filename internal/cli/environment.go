package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/deploy/up"
	"bordero/internal/config"
	"bordero/internal/messages"
	"bordero/storage"

	"github.com/caarlos0/env/v11"
)

// dataFlag points a command at the servers and files of a running `bordero up`.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Use the servers of the bordero up with this --data instead of those in the environment."`
}

// serverFlags name the server and the token of a command that uses the public API.
type serverFlags struct {
	URL     string `env:"BORDERO_URL" placeholder:"URL" help:"Address of the server."`
	Token   string `env:"BORDERO_TOKEN" placeholder:"TOKEN" help:"Access token; safer in the environment."`
	Account int64  `placeholder:"ID" help:"Which of the token's accounts, if it has several."`
	Data    string `placeholder:"DIR" help:"Use the URL and a token of the bordero up with this --data instead of those in the environment."`
}

// readData takes the URL and a token from a running `bordero up`, if --data names its directory.
func (s *serverFlags) readData() (err error) {
	if s.Data != "" {
		s.URL, s.Token, err = up.Credentials(s.Data)
	}
	return err
}

// check returns an error without a URL or without a token.
func (s *serverFlags) check() error {
	if s.URL == "" || s.Token == "" {
		return errors.New("no server: set BORDERO_URL and BORDERO_TOKEN, or name the directory of a running bordero " +
			"up: --data .data")
	}
	return nil
}

// authorize adds the token and the account to a request.
func (s *serverFlags) authorize(r *http.Request) {
	r.SetBasicAuth(s.Token, "x")
	if s.Account != 0 {
		r.Header.Set("Account-Id", strconv.FormatInt(s.Account, 10))
	}
}

// refusal returns the error of a response that refuses the token or its account, as it would refuse any other request;
// nil if it is none.
func (s *serverFlags) refusal(g response) error {
	refused := ""
	switch code := g.header.Get("X-Error-Code"); {
	case g.status == http.StatusUnauthorized:
		return errors.New("the server does not accept the token")
	case code == messages.NoAccount.Code:
		refused = "the token opens several accounts"
	case code == messages.UnknownAccount.Code:
		refused = fmt.Sprintf("the token does not open account %d", s.Account)
	default:
		return nil
	}
	var document struct {
		Accounts []struct {
			Account struct {
				ID   int64
				Name string
			}
		}
	}
	_ = json.Unmarshal(g.body, &document) // stays empty if the body is not JSON
	var named []string
	for _, a := range document.Accounts {
		named = append(named, fmt.Sprintf("%d %q", a.Account.ID, a.Account.Name))
	}
	if len(named) == 0 {
		return errors.New("the token opens no account now: an administrator must add its user again")
	}
	return fmt.Errorf("%s: choose one by --account: %s", refused, strings.Join(named, ", "))
}

// remarkUnknown warns on the standard error, once, of BORDERO_ variables that bordero does not read.
var remarkUnknown = sync.OnceFunc(func() {
	for _, name := range config.Unknown(os.Environ()) {
		fmt.Fprintln(os.Stderr, name+notAVariable)
	}
})

// config reads the configuration of a command that needs the database.
func (d dataFlag) config(required ...string) (config.Config, error) {
	if d.Data == "" {
		remarkUnknown()
	}
	environ, err := d.environ()
	if err != nil {
		return config.Config{}, err
	}
	if env.ToMap(environ)["DATABASE_URL"] == "" {
		return config.Config{},
			errors.New("no database: set DATABASE_URL, or name the directory of a running bordero up: --data .data")
	}
	return config.Load(environ, required...)
}

// environ returns the environment, overridden by the variables of the running `bordero up`. An
// empty variable counts as unset.
func (d dataFlag) environ() ([]string, error) {
	environ, err := config.WithFiles(os.Environ())
	if err != nil || d.Data == "" {
		return environ, err
	}
	of, err := up.Environ(d.Data)
	return append(environ, of...), err
}

// store opens the database for a command.
func (d dataFlag) store(ctx context.Context) (*storage.Store, error) {
	return d.open(ctx, storage.Options{Application: "bordero command"})
}

// readOnly opens the database for a command that may read for hours. If it is stopped in its transaction, PostgreSQL
// ends the transaction, which keeps vacuum from removing rows.
func (d dataFlag) readOnly(ctx context.Context) (*storage.Store, error) {
	return d.open(ctx, storage.Options{ReadOnly: true, IdleInTransaction: time.Minute})
}

// open opens the database for a command.
func (d dataFlag) open(ctx context.Context, o storage.Options) (*storage.Store, error) {
	c, err := d.config("DATABASE_URL")
	if err != nil {
		return nil, err
	}
	if _, err := refusePooler(ctx, "DATABASE_URL", c.DatabaseURL); err != nil {
		return nil, err
	}
	o.Connections, o.Timezone = 2, c.Timezone.String()
	return storage.Open(c.DatabaseURL, o)
}
