package config

import (
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{"BORDERO_ADDR=:9000", "BORDERO_LOG_FORMAT="})
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"public URL follows the address": c.PublicURL == "http://:9000",
		"empty is unset":                 c.LogFormat == "text",
		"level":                          c.LogLevel == slog.LevelInfo,
		"zone":                           c.Timezone.String() == "America/Sao_Paulo",
		"sizes":                          c.MaxDocumentBytes == 1<<20 && c.MaxStatementBytes == 50<<20,
		"lease":                          c.Lease == 15*time.Second,
		"counts":                         c.Concurrency == 8 && c.DatabaseConnections == 20,
		"webhooks": len(c.WebhookAllowCIDRs) == 0 && slices.Equal(c.WebhookDelays,
			[]time.Duration{0, 30 * time.Second, 10 * time.Minute, 2 * time.Hour, 12 * time.Hour}),
		"monitor": c.MonitorAddr == "127.0.0.1:8081" && c.OpsAddr == "",
	} {
		if !ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestValuesAreRead(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{
		"DATABASE_URL=postgres://u:p@h/d", "REDIS_URL=redis://:p@h:1/2", "BORDERO_FILES_URL=file:///tmp/x",
		"BORDERO_PUBLIC_URL=https://api.example", "BORDERO_TIMEZONE=UTC", "BORDERO_LOG_LEVEL=DEBUG",
		"BORDERO_CONCURRENCY=3",
		"BORDERO_MONITOR_PASSWORD_HASH=$2a$10$abcdefghijklmnopqrstuu5LoxkwEcKJqS5g4fJ9TzYbUn6SDhBaK",
	}, "DATABASE_URL", "REDIS_URL")
	if err != nil {
		t.Fatal(err)
	}
	if c.DatabaseURL != "postgres://u:p@h/d" || c.Timezone.String() != "UTC" || c.LogLevel != slog.LevelDebug ||
		c.Concurrency != 3 {
		t.Errorf("%+v", c)
	}
}

func TestThePublicURLNamesAHost(t *testing.T) {
	t.Parallel()
	for assignments, want := range map[string]bool{
		"": true, "BORDERO_ADDR=api.example:80": true, "BORDERO_ADDR=:80": false, "BORDERO_ADDR=0.0.0.0:80": false,
		"BORDERO_ADDR=[::]:80": false, "BORDERO_ADDR=:80 BORDERO_PUBLIC_URL=https://api.example": true,
	} {
		if c, err := Load(strings.Fields(assignments)); err != nil || c.HasPublicHost() != want {
			t.Errorf("%s: %s, %v", assignments, c.PublicURL, err)
		}
	}
}

func TestEveryBadValueIsNamed(t *testing.T) {
	t.Parallel()
	// An invalid value for each variable, which would be a secret in some.
	// any name is valid
	values := map[string]string{"BORDERO_MONITOR_USER": "", "BORDERO_MONITOR_READONLY_USER": "", "BORDERO_MAIL_DIR": ""}
	var environ []string
	for _, v := range Variables() {
		value, special := values[v.Name]
		if !special {
			value = "hunter2"
		}
		environ = append(environ, v.Name+"="+value)
	}
	_, err := Load(environ, "BORDERO_MONITOR_USER", "DATABASE_URL")
	if err == nil {
		t.Fatal("no error")
	}
	for _, v := range Variables() {
		want := v.Name + " must be " + v.Want
		switch v.Name {
		case "BORDERO_MONITOR_USER":
			want = v.Name + " must be set"
		case "BORDERO_MONITOR_READONLY_USER", "BORDERO_MAIL_DIR":
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%q shows a value", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, assignments := range []string{ // the last of each is bad
		"BORDERO_LEASE=999ms", "BORDERO_CONCURRENCY=0", "BORDERO_CONCURRENCY=10001", "BORDERO_DATABASE_CONNECTIONS=-1",
		"BORDERO_MAX_DOCUMENT_BYTES=0", "BORDERO_ADDR=8080",
		"BORDERO_ADDR=127.0.0.1",
		"BORDERO_PUBLIC_URL=ftp://x", "BORDERO_PUBLIC_URL=http:x",
		"REDIS_URL=redis://default:/hunter2@h:6379/0", "REDIS_URL=redis://default:?hunter2@h:6379",
		"REDIS_URL=unix://default:/hunter2@/run/redis", "REDIS_URL=unix://:?hunter2@/run/redis",
		"REDIS_URL=unix://run/redis",
		"DATABASE_URL=postgres://a:/hunter2@h/d",
		"BORDERO_PUBLIC_URL=https://x?a=b", "BORDERO_PUBLIC_URL=https://x#a", "BORDERO_PUBLIC_URL=https://u:p@x",
		"DATABASE_URL=mysql://h/d",
		"BORDERO_FILES_URL=file:", "BORDERO_FILES_URL=file://", "BORDERO_FILES_URL=file:/dir#1",
		"BORDERO_FILES_URL=file://var/lib/bordero", "BORDERO_FILES_URL=file://./data", "BORDERO_FILES_URL=s3:///bucket",
		"BORDERO_FILES_URL=s3://bucket/prod", "BORDERO_FILES_URL=s3://key:secret@bucket", "BORDERO_FILES_URL=/dir",
		"BORDERO_FILES_URL=s3://key:?secret@bucket",
		"BORDERO_FILES_URL=s3://bucket BORDERO_SIGNED_URL_TTL=169h",
		"BORDERO_TIMEZONE=America/Brasil", "BORDERO_TIMEZONE=Local", "BORDERO_LOG_FORMAT=xml",
		"BORDERO_WEBHOOK_ALLOW_CIDRS=10.0.0.1", "BORDERO_WEBHOOK_DELAYS=0s,1s,2s,3s",
		"BORDERO_WEBHOOK_DELAYS=0s,1s,2s,3s,4s,5s",
		"BORDERO_WEBHOOK_DELAYS=0s,1s,2s,3s,-4s", "BORDERO_WEBHOOK_CONCURRENCY=0", "BORDERO_WEBHOOK_ENDPOINTS=0",
		"BORDERO_WEBHOOK_HELD_FOR=1s",
		"BORDERO_WEBHOOKS_PER_ENTITY=0",
		"BORDERO_WEBHOOK_RETENTION=0s", "BORDERO_IGNORED_TEXTS_RETENTION=23h",
		"BORDERO_DISMISSED_JOBS_RETENTION=1h", "BORDERO_TRACE_STATEMENTS=-1s",
		"BORDERO_SMTP_URL=http://h", "BORDERO_SMTP_URL=smtp://h/path", "BORDERO_SMTP_URL=smtp://h?starttls=true",
		"BORDERO_MAIL_FROM=ana",
	} {
		environ := strings.Fields(assignments)
		name, _, _ := strings.Cut(environ[len(environ)-1], "=")
		if _, err := Load(environ); err == nil || !strings.Contains(err.Error(), name+" must be") {
			t.Errorf("%s: %v", assignments, err)
		}
	}
}

// Values that installations have, and that other parts of the URL or of the configuration could make wrong.
func TestValuesThatRemainValid(t *testing.T) {
	t.Parallel()
	for _, assignments := range []string{
		"BORDERO_FILES_URL=file:///files", "BORDERO_FILES_URL=file://localhost/files", "BORDERO_FILES_URL=file:/files",
		"BORDERO_FILES_URL=file:///files@2",
		"BORDERO_FILES_URL=s3://bucket/?region=sa-east-1&prefix=prod/",
		"BORDERO_FILES_URL=file:///files BORDERO_SIGNED_URL_TTL=720h",
		"BORDERO_FILES_URL=s3://bucket BORDERO_SIGNED_URL_TTL=168h",
		"BORDERO_PUBLIC_URL=https://api.example:8443/", "BORDERO_SMTP_URL=smtps://u:p%40@h:465/",
	} {
		if _, err := Load(strings.Fields(assignments)); err != nil {
			t.Errorf("%s: %v", assignments, err)
		}
	}
}

func TestTheBoundsOfTheDescriptions(t *testing.T) {
	t.Parallel()
	numbers := regexp.MustCompile(`^a whole number (?:from|of at least) (\d+)(?: to (\d+))?$`)
	durations := regexp.MustCompile(`^a duration (?:from|of at least) (\w+)(?: to (\w+))?(?:;.*)?$`)
	tried := 0
	for _, v := range Variables() {
		values := map[string]bool{}
		if bounds := numbers.FindStringSubmatch(v.Want); bounds != nil {
			least, _ := strconv.Atoi(bounds[1])
			values[bounds[1]], values[strconv.Itoa(least-1)] = true, false
			if most, err := strconv.Atoi(bounds[2]); err == nil {
				values[bounds[2]], values[strconv.Itoa(most+1)] = true, false
			}
		} else if bounds := durations.FindStringSubmatch(v.Want); bounds != nil {
			least, err := time.ParseDuration(bounds[1])
			if err != nil {
				t.Fatal(err)
			}
			values[bounds[1]], values[(least-1).String()] = true, false
			if most, err := time.ParseDuration(bounds[2]); err == nil {
				values[bounds[2]], values[(most+1).String()] = true, false
			}
		}
		for value, good := range values {
			tried++
			if _, err := Load([]string{v.Name + "=" + value}); (err == nil) != good {
				t.Errorf("%s=%s: %v", v.Name, value, err)
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d values were tried", tried)
	}
}

func TestEveryVariableIsDescribed(t *testing.T) {
	t.Parallel()
	for _, v := range Variables() {
		if v.Name == "" || v.Want == "" || v.Help == "" {
			t.Errorf("%+v", v)
		}
	}
}

func TestDatabaseURLs(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"postgres://u:p@h:1/d": true, "postgresql://h": true, "postgres://u:p@/d?host=/run/postgresql": true,
		"postgres://h1,h2/d?port=1,2&target_session_attrs=read-write": true,
		"postgres://h1,h2/d?port=1&target_session_attrs=read-write":   true,
		"postgres:///d?host=h1,h2&target_session_attrs=primary":       true,
		"postgres:///d?host=::1,::2&target_session_attrs=primary":     true,
		"postgres://h1,h2/d?port=1,2":                                 false,
		"postgres://h1,h2/d?port=1,2&target_session_attrs=any":        false,
		"postgres://h1:1,h2:2/d?target_session_attrs=read-write":      false, // lib/pq dials a host h1:1
		"postgres://h1,h2:2/d?target_session_attrs=read-write":        false, // in libpq, h1 has another port
		"postgres://h1,h2:1,2/d?target_session_attrs=read-write":      false,
		"postgres://[::1],[::2]/d?target_session_attrs=read-write":    false,
		"postgres:///d?host=h1:1,h2:2&target_session_attrs=primary":   false,
		"postgres:///d": false, "postgres:d": false, "mysql://h/d": false,
	} {
		if _, err := Load([]string{"DATABASE_URL=" + url}); (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestRedisURLs(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"redis://h:1/0": true, "redis://:a,b@h": true, "rediss://u:p@h:1/0": true,
		"redis-sentinel://h:1/0?master_name=m&addr=i:1": true, "redis-cluster://h:1?addr=i:1": true,
		"redis-sentinel://h:1/0?addr=i:1": false, "rediss-sentinel://h:1": false,
		"unix:///run/redis": true, "unix://u:p@/run/redis?db=1": true, "unix://h": false, "rediss-cluster://h:1": true,
		"unix:///run/redis%40a/socket": true, "unix:///run/redis@a/socket": false,
		"redis-cluster:h": false, "http://h": false, "redis-cluster://a:1,b:2": false,
	} {
		if _, err := Load([]string{"REDIS_URL=" + url}); (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
	}
}
