// Package config reads the configuration of every process from the environment. The
// variables are a contract with operators, so one list has their defaults, limits and
// descriptions.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a bare container has no time zones, and BORDERO_TIMEZONE names one

	"bordero/internal/download"

	"github.com/caarlos0/env/v11"
	"golang.org/x/crypto/bcrypt"
)

// Config is the configuration. The tags of a field are its variable, the default, the
// description of a valid value ("must be …") and the purpose. Variables are added, never
// renamed.
type Config struct {
	DatabaseURL string `env:"DATABASE_URL" want:"a postgres:// URL; of several hosts, with their ports apart: postgres://USER@HOST1,HOST2/DB?port=PORT1,PORT2&target_session_attrs=read-write" help:"the PostgreSQL database"`
	RedisURL    string `env:"REDIS_URL" want:"a redis://, rediss://, unix://, redis-sentinel:// or redis-cluster:// URL, with further hosts as &addr=HOST:PORT, and for redis-sentinel:// ?master_name=NAME" help:"the Redis of the queues"`
	FilesURL    string `env:"BORDERO_FILES_URL" want:"file:///dir, or s3://bucket?region=…, with &prefix=DIR/ for a part of it" help:"where files are stored"`

	OwnerDatabaseURL string `env:"BORDERO_OWNER_DATABASE_URL" want:"a postgres:// URL; of several hosts, with their ports apart: postgres://USER@HOST1,HOST2/DB?port=PORT1,PORT2&target_session_attrs=read-write" help:"the database as the owner of its schema, for migrate alone, which creates the role of DATABASE_URL if it is missing and the owner may create roles, and grants it the rights that processes need; DATABASE_URL when unset"`

	Addr      string         `env:"BORDERO_ADDR" envDefault:"127.0.0.1:8080" want:"host:port" help:"the API's listener, unless systemd passes a socket"`
	OpsAddr   string         `env:"BORDERO_OPS_ADDR" want:"host:port" help:"the listener of each process for /healthz, /readyz and /metrics; none when unset"`
	PublicURL string         `env:"BORDERO_PUBLIC_URL" want:"an http:// or https:// URL without a user and parameters" help:"the URL under which clients reach the API; http:// and BORDERO_ADDR when unset. Pages of /docs and /console do not work below a path"`
	Timezone  *time.Location `env:"BORDERO_TIMEZONE" envDefault:"America/Sao_Paulo" want:"a zone of the tz database" help:"the zone of days and months"`

	MonitorAddr         string `env:"BORDERO_MONITOR_ADDR" envDefault:"127.0.0.1:8081" want:"host:port" help:"the monitor's listener"`
	MonitorUser         string `env:"BORDERO_MONITOR_USER" want:"a name" help:"the user of the monitor"`
	MonitorPasswordHash string `env:"BORDERO_MONITOR_PASSWORD_HASH" want:"a bcrypt hash" secret:"true" help:"the bcrypt hash of that user's password"`

	MonitorReadOnlyUser         string `env:"BORDERO_MONITOR_READONLY_USER" want:"a name, another one than BORDERO_MONITOR_USER" help:"a user of the monitor who may change nothing; none when unset"`
	MonitorReadOnlyPasswordHash string `env:"BORDERO_MONITOR_READONLY_PASSWORD_HASH" want:"a bcrypt hash" secret:"true" help:"the bcrypt hash of that user's password"`

	Concurrency int           `env:"BORDERO_CONCURRENCY" envDefault:"8" want:"a whole number from 1 to 10000" help:"how many jobs a worker runs at once, or questions that signing answers; work webhooks has BORDERO_WEBHOOK_ENDPOINTS instead"`
	Lease       time.Duration `env:"BORDERO_LEASE" envDefault:"15s" want:"a duration from 1s to 24h" help:"how long a claim lasts without a heartbeat of its worker"`

	TrustedProxies Networks `env:"BORDERO_TRUSTED_PROXIES" want:"addresses or networks in CIDR notation, with commas between" help:"the proxies whose X-Forwarded-For is trusted; none when unset. The API warns when another address sends one"`
	MaxConnections int      `env:"BORDERO_MAX_CONNECTIONS" envDefault:"10000" want:"a whole number from 1 to 1000000" help:"the most connections of clients to one listener; further ones wait"`
	MaxPerAddress  int      `env:"BORDERO_MAX_CONNECTIONS_PER_ADDRESS" envDefault:"0" want:"a whole number from 0 to 1000000" help:"the most of these from one address, or one IPv6 network of 64 bits; further ones are closed; a quarter of BORDERO_MAX_CONNECTIONS when 0; trusted proxies are exempt"`

	AccountRequests int `env:"BORDERO_ACCOUNT_REQUESTS" envDefault:"8" want:"a whole number from 0 to 10000" help:"how many ordinary requests of one account each process of the API works on at once; 100 further ones wait up to 10 s, the rest get 429; 0 for no limit; two costly requests, long lists for half of the processors and four sheets have places of their own"`

	DatabaseConnections int   `env:"BORDERO_DATABASE_CONNECTIONS" envDefault:"20" want:"a whole number from 1 to 10000" help:"the most connections of one process to PostgreSQL; a worker of several queues may open as many for each queue; a worker, except those of webhooks and signing, needs one more than BORDERO_CONCURRENCY, the scheduler needs 4; in the API one account has at most three quarters of them"`
	MaxDocumentBytes    int64 `env:"BORDERO_MAX_DOCUMENT_BYTES" envDefault:"1048576" want:"a whole number from 1024 to 1099511627776" help:"the largest JSON or XML document of the API; a batch may have four times as many"`
	MaxStatementBytes   int64 `env:"BORDERO_MAX_STATEMENT_BYTES" envDefault:"52428800" want:"a whole number from 1024 to 5000000000" help:"the largest statement file that the API takes"`

	MaxAttachmentBytes int64 `env:"BORDERO_MAX_ATTACHMENT_BYTES" envDefault:"104857600" want:"a whole number from 1024 to 5000000000" help:"the largest attachment that the API takes; a larger file than 5 GB could arrive for more than the 24 h after which an upload to S3 is taken for broken off"`

	SignedURLTTL      time.Duration `env:"BORDERO_SIGNED_URL_TTL" envDefault:"1h" want:"a duration of at least 1s; of at most 168h with s3://" help:"how long the URL of a download is valid; the same for the API and work signing"`
	SigningKeyFile    string        `env:"BORDERO_SIGNING_KEY_FILE" want:"a file that is there" help:"the Ed25519 key (PKCS #8 in PEM) that signs URLs of files; for work signing alone"`
	SigningPublicKeys []string      `env:"BORDERO_SIGNING_PUBLIC_KEYS" want:"Ed25519 public keys in base64, with commas between" help:"the public halves of that key and of earlier ones; for the API"`

	WebhookAllowCIDRs []netip.Prefix  `env:"BORDERO_WEBHOOK_ALLOW_CIDRS" want:"networks like 10.1.0.0/16, with commas between" help:"private networks that webhooks may reach; the same for the API, work webhooks and the monitor"`
	WebhookDelays     []time.Duration `env:"BORDERO_WEBHOOK_DELAYS" envDefault:"0s,30s,10m,2h,12h" want:"five durations of at least 0s, with commas between" help:"how long each attempt to deliver a notification waits after the previous one; the first has no effect, as the first attempt is made at once"`

	WebhooksPerEntity int64 `env:"BORDERO_WEBHOOKS_PER_ENTITY" envDefault:"16" want:"a whole number from 1 to 10000" help:"the most webhooks of an entity that the API accepts; existing ones remain"`

	WebhookConcurrency int           `env:"BORDERO_WEBHOOK_CONCURRENCY" envDefault:"16" want:"a whole number from 1 to 1000" help:"how many notifications are sent to one webhook at once"`
	WebhookEndpoints   int           `env:"BORDERO_WEBHOOK_ENDPOINTS" envDefault:"256" want:"a whole number from 1 to 10000" help:"how many webhooks a worker delivers to at once; most of that time is waiting"`
	WebhookHeldFor     time.Duration `env:"BORDERO_WEBHOOK_HELD_FOR" envDefault:"336h" want:"a duration of at least 1m" help:"how long the scheduler keeps notifications of a webhook in error to be sent"`
	WebhookRetention   time.Duration `env:"BORDERO_WEBHOOK_RETENTION" envDefault:"720h" want:"a duration of at least 1m" help:"how long the scheduler keeps finished notifications visible"`

	ChangesRetention time.Duration `env:"BORDERO_CHANGES_RETENTION" envDefault:"9600h" want:"a duration of at least 2160h" help:"how long the scheduler keeps changes in the feed, by months"`

	IgnoredTextsRetention  time.Duration `env:"BORDERO_IGNORED_TEXTS_RETENTION" envDefault:"2160h" want:"a duration of at least 24h" help:"how long the scheduler keeps the texts of ignored statement items; their days and amounts remain with the statement"`
	DismissedJobsRetention time.Duration `env:"BORDERO_DISMISSED_JOBS_RETENTION" envDefault:"2160h" want:"a duration of at least 24h" help:"how long the scheduler keeps dismissed jobs; jobs that delete, price or deliver, or whose import has not ended, remain until they are retried"`

	SMTPURL  string `env:"BORDERO_SMTP_URL" want:"an smtp:// or smtps:// URL without a path and parameters" help:"the mail server, at port 25 of smtp:// and 465 of smtps:// unless the URL names another; give it to work webhooks alone, since it may contain a password"`
	MailDir  string `env:"BORDERO_MAIL_DIR" want:"a directory" help:"where e-mails are written as files when BORDERO_SMTP_URL is unset; it is made if it is missing"`
	MailFrom string `env:"BORDERO_MAIL_FROM" envDefault:"bordero@localhost" want:"an e-mail address" help:"the sender of e-mails; many mail servers refuse the default"`

	TraceStatements time.Duration `env:"BORDERO_TRACE_STATEMENTS" envDefault:"10ms" want:"a duration of at least 0s" help:"statements of traced requests and jobs that take at least this long get a span, up to 100 in one request or job; traces are exported where OTEL_EXPORTER_OTLP_ENDPOINT is set"`

	LogLevel  slog.Level `env:"BORDERO_LOG_LEVEL" envDefault:"info" want:"debug, info, warn or error" help:"the lowest level that is logged"`
	LogFormat string     `env:"BORDERO_LOG_FORMAT" envDefault:"text" want:"text or json" help:"the format of a log line"`
}

// Variable describes one variable.
type Variable struct {
	Name, Default, Want, Help string
	Secret                    bool // the whole value is secret; passwords in URLs always are
	field                     string
}

// Variables lists all variables in the order of the documentation.
func Variables() []Variable {
	var list []Variable
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		list = append(list, Variable{
			Name: f.Tag.Get("env"), Default: f.Tag.Get("envDefault"),
			Want: f.Tag.Get("want"), Help: f.Tag.Get("help"), Secret: f.Tag.Get("secret") != "", field: f.Name,
		})
	}
	return list
}

// Load reads environ, a list of NAME=value, and the files that it names as WithFiles does. An empty value counts as
// unset. The error names every invalid variable and every required variable that is not set, without values: some
// are secrets.
func Load(environ []string, required ...string) (Config, error) {
	environ, err := WithFiles(environ)
	if err != nil {
		return Config{}, err
	}
	set := env.ToMap(environ)
	for name, value := range set {
		if value == "" {
			delete(set, name)
		}
	}
	var c Config
	err = env.ParseWithOptions(&c, env.Options{
		Environment: set,
		FuncMap:     map[reflect.Type]env.ParserFunc{reflect.TypeFor[time.Location](): zone},
	})
	unreadable, err := fields(err)
	if err != nil {
		return Config{}, fmt.Errorf("read the environment: %w", err)
	}
	if c.PublicURL == "" {
		c.PublicURL = "http://" + c.Addr
	}
	bad := c.bad()
	var complaints []string
	for _, v := range Variables() {
		_, isSet := set[v.Name]
		switch {
		case !isSet && slices.Contains(required, v.Name):
			complaints = append(complaints, v.Name+" must be set")
		case isSet && (slices.Contains(unreadable, v.field) || slices.Contains(bad, v.Name)):
			complaints = append(complaints, v.Name+" must be "+v.Want)
		}
	}
	if len(complaints) > 0 {
		return Config{}, errors.New("bad configuration: " + strings.Join(complaints, "; "))
	}
	return c, nil
}

// zone refuses Local, which PostgreSQL does not know.
func zone(name string) (any, error) {
	if name == "Local" {
		return nil, errors.New("no zone of the tz database")
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	return *location, nil
}

// HasPublicHost reports whether PublicURL names a host. It does not if it follows from an Addr such as :8080.
func (c *Config) HasPublicHost() bool {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "" && (err != nil || !ip.IsUnspecified())
}

// Networks is a list of IP networks.
type Networks []netip.Prefix

// UnmarshalText parses networks in CIDR notation and single addresses, separated by commas.
func (n *Networks) UnmarshalText(text []byte) error {
	for part := range strings.SplitSeq(string(text), ",") {
		part = strings.TrimSpace(part)
		if addr, err := netip.ParseAddr(part); err == nil {
			*n = append(*n, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			return err
		}
		*n = append(*n, p.Masked())
	}
	return nil
}

// fields returns the names of the fields that could not be parsed, or any other error of
// the parser.
func fields(err error) ([]string, error) {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return nil, err
	}
	var names []string
	for _, err := range all.Errors {
		var unreadable env.ParseError
		if !errors.As(err, &unreadable) {
			return nil, err
		}
		names = append(names, unreadable.Name)
	}
	return names, nil
}

// largestFile is what the slowest client may send (decision 0014) within the 24 h after which the sweep takes an upload
// to S3 for broken off. S3 takes up to 10,000 parts, of 5 MiB each.
const largestFile = 5_000_000_000

// bad lists the variables with values that can be parsed but are not valid.
func (c *Config) bad() []string {
	_, hashErr := bcrypt.Cost([]byte(c.MonitorPasswordHash))
	_, readOnlyHashErr := bcrypt.Cost([]byte(c.MonitorReadOnlyPasswordHash))
	_, publicKeysErr := download.PublicKeys(c.SigningPublicKeys)
	_, mailErr := mail.ParseAddress(c.MailFrom)
	var bad []string
	for _, v := range []struct {
		name string
		good bool
	}{
		{"DATABASE_URL", isDatabaseURL(c.DatabaseURL)},
		{"BORDERO_OWNER_DATABASE_URL", isDatabaseURL(c.OwnerDatabaseURL)},
		{"REDIS_URL", isRedisURL(c.RedisURL)},
		{"BORDERO_FILES_URL", isStore(c.FilesURL)},
		{"BORDERO_ADDR", isAddr(c.Addr)},
		{"BORDERO_OPS_ADDR", isAddr(c.OpsAddr)},
		{"BORDERO_PUBLIC_URL", isURL(c.PublicURL, "http", "https") && !strings.ContainsAny(c.PublicURL, "@?#")},
		{"BORDERO_MONITOR_ADDR", isAddr(c.MonitorAddr)},
		{"BORDERO_MONITOR_PASSWORD_HASH", hashErr == nil},
		{"BORDERO_MONITOR_READONLY_USER", c.MonitorReadOnlyUser != c.MonitorUser},
		{"BORDERO_MONITOR_READONLY_PASSWORD_HASH", readOnlyHashErr == nil},
		{"BORDERO_MAX_CONNECTIONS", c.MaxConnections >= 1 && c.MaxConnections <= 1_000_000},
		{"BORDERO_MAX_CONNECTIONS_PER_ADDRESS", c.MaxPerAddress >= 0 && c.MaxPerAddress <= 1_000_000},
		{"BORDERO_ACCOUNT_REQUESTS", c.AccountRequests >= 0 && c.AccountRequests <= 10000},
		{"BORDERO_CONCURRENCY", c.Concurrency >= 1 && c.Concurrency <= 10000},
		{"BORDERO_LEASE", c.Lease >= time.Second && c.Lease <= 24*time.Hour},
		{"BORDERO_DATABASE_CONNECTIONS", c.DatabaseConnections >= 1 && c.DatabaseConnections <= 10000},
		{"BORDERO_MAX_DOCUMENT_BYTES", c.MaxDocumentBytes >= 1024 && c.MaxDocumentBytes <= 1<<40},
		{"BORDERO_MAX_STATEMENT_BYTES", c.MaxStatementBytes >= 1024 && c.MaxStatementBytes <= largestFile},
		{"BORDERO_MAX_ATTACHMENT_BYTES", c.MaxAttachmentBytes >= 1024 && c.MaxAttachmentBytes <= largestFile},
		{"BORDERO_SIGNED_URL_TTL", c.SignedURLTTL >= time.Second &&
			(c.SignedURLTTL <= 168*time.Hour || !strings.HasPrefix(c.FilesURL, "s3:"))}, // S3's limit
		{"BORDERO_SIGNING_KEY_FILE", c.SigningKeyFile == "" || isFile(c.SigningKeyFile)},
		{"BORDERO_SIGNING_PUBLIC_KEYS", publicKeysErr == nil},
		{"BORDERO_WEBHOOK_DELAYS", len(c.WebhookDelays) == 5 && slices.Min(c.WebhookDelays) >= 0},
		{"BORDERO_WEBHOOKS_PER_ENTITY", c.WebhooksPerEntity >= 1 && c.WebhooksPerEntity <= 10000},
		{"BORDERO_WEBHOOK_CONCURRENCY", c.WebhookConcurrency >= 1 && c.WebhookConcurrency <= 1000},
		{"BORDERO_WEBHOOK_ENDPOINTS", c.WebhookEndpoints >= 1 && c.WebhookEndpoints <= 10000},
		{"BORDERO_WEBHOOK_HELD_FOR", c.WebhookHeldFor >= time.Minute},
		{"BORDERO_WEBHOOK_RETENTION", c.WebhookRetention >= time.Minute},
		{"BORDERO_CHANGES_RETENTION", c.ChangesRetention >= 2160*time.Hour},
		{"BORDERO_IGNORED_TEXTS_RETENTION", c.IgnoredTextsRetention >= 24*time.Hour},
		{"BORDERO_DISMISSED_JOBS_RETENTION", c.DismissedJobsRetention >= 24*time.Hour},
		{"BORDERO_TRACE_STATEMENTS", c.TraceStatements >= 0},
		{"BORDERO_SMTP_URL", isHost(c.SMTPURL, "smtp", "smtps")},
		{"BORDERO_MAIL_FROM", mailErr == nil},
		{"BORDERO_LOG_FORMAT", c.LogFormat == "text" || c.LogFormat == "json"},
	} {
		if !v.good {
			bad = append(bad, v.name)
		}
	}
	return bad
}

func isURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Opaque == "" && u.Host != "" && !hasLatePassword(u)
}

// hasLatePassword reports whether a password that is not escaped, as in redis://default:/secret@host, ended the host:
// errors would show it as a path or as a parameter.
func hasLatePassword(u *url.URL) bool {
	for name := range u.Query() {
		if strings.Contains(name, "@") {
			return true
		}
	}
	return strings.Contains(u.EscapedPath(), "@") || strings.Contains(u.EscapedFragment(), "@")
}

// isHost refuses the parts of a URL after its host, which would have no effect.
func isHost(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && isURL(s, schemes...) && strings.Trim(u.Path, "/") == "" && !strings.ContainsAny(s, "?#")
}

// isStore refuses the parts of a URL that the drivers would ignore: with file://var/lib, a slash short, files would be
// in /lib. Other schemes than these two are left to internal/blobs, which names them.
func isStore(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || u.Fragment != "" {
		return false
	}
	switch u.Scheme {
	case "file":
		return (u.Host == "" || u.Host == "localhost") && u.User == nil && u.Path != ""
	case "s3":
		return u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" && !hasLatePassword(u)
	}
	return u.Scheme != "" && u.Host != ""
}

// isDatabaseURL also accepts the directory of a Unix socket, postgres:///bordero?host=/run/postgresql, and
// several hosts. Such a URL must ask for the host that accepts writes, because the first may be a standby, and have the
// ports in ?port=. lib/pq differs from libpq here: it dials a host named HOST1:PORT1 for HOST1:PORT1,HOST2:PORT2, and
// for HOST1,HOST2:PORT it uses the port for both hosts.
func isDatabaseURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Opaque != "" ||
		hasLatePassword(u) {
		return false
	}
	hosts, ask := cmp.Or(u.Host, u.Query().Get("host")), u.Query().Get("target_session_attrs")
	if !strings.Contains(hosts, ",") {
		return hosts != ""
	}
	return (ask == "read-write" || ask == "primary") && !slices.ContainsFunc(strings.Split(hosts, ","), hasPort)
}

// hasPort reports whether a host of several has a port, unless it is the address of ?host=::1,::2.
func hasPort(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(host, ":")
}

// isRedisURL refuses several hosts separated by commas, as further ones are given as ?addr=, and Sentinels that
// are not told which master to name.
func isRedisURL(s string) bool {
	u, err := url.Parse(s)
	if err == nil && strings.HasSuffix(u.Scheme, "-sentinel") && u.Query().Get("master_name") == "" {
		return false
	}
	if err == nil && u.Scheme == "unix" {
		return u.Host == "" && u.Path != "" && !hasLatePassword(u)
	}
	return err == nil && !strings.Contains(u.Host, ",") &&
		isURL(s, "redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isAddr(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && port != ""
}
