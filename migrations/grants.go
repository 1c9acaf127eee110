package migrations

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// UpFor is Up as the owner of the schema, for processes that work as the role of url: it makes that
// role if it is missing, and grants it the rights that the processes need. Without an owner it is
// Up. It refuses URLs of different databases: see differ.
func UpFor(ctx context.Context, url, ownerURL string) (int, error) {
	if ownerURL == "" {
		n, err := Up(ctx, url)
		if pq.As(err, pqerror.InsufficientPrivilege) != nil {
			err = fmt.Errorf("%w; the role of DATABASE_URL does not own the schema: set BORDERO_OWNER_DATABASE_URL to "+
				"the URL of its owner", err)
		}
		return n, err
	}
	if err := differ(ctx, url, ownerURL); err != nil {
		return 0, err
	}
	// Before, so that the tables of a migration are granted at once: a trigger writes to a new
	// table for processes that serve.
	if err := grant(ctx, url, ownerURL); err != nil {
		return 0, err
	}
	n, err := Up(ctx, ownerURL)
	if err != nil {
		return n, err
	}
	return n, grant(ctx, url, ownerURL) // the migrations' own table is there now
}

// differ returns an error if the two URLs certainly lead to different databases. Hosts and ports
// are not compared, because one server has many: a name, addresses, a socket, a pooler. The
// servers say which they are, and which database this is. As long as the role of url cannot log
// in, because it is yet to be made, only the names of the databases are compared.
func differ(ctx context.Context, url, ownerURL string) error {
	worker, err := pq.NewConfig(url)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	owner, err := pq.NewConfig(ownerURL)
	if err != nil {
		return fmt.Errorf("BORDERO_OWNER_DATABASE_URL: %w", err)
	}
	const must = "DATABASE_URL and BORDERO_OWNER_DATABASE_URL must name one database, for two roles"
	works, owns := identity(ctx, url), identity(ctx, ownerURL)
	if works != "" && owns != "" {
		if works != owns {
			return errors.New(must + ": they lead to different ones")
		}
		return nil
	}
	// A URL without a database means the one with the name of its role.
	if a, b := cmp.Or(worker.Database, worker.User), cmp.Or(owner.Database, owner.User); a != b {
		return fmt.Errorf("%s: they name %s and %s", must, a, b)
	}
	return nil
}

// identity identifies a database among all of all servers. It is empty if that is unknown.
func identity(ctx context.Context, url string) (id string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	db, err := sql.Open("postgres", url)
	if err != nil {
		return ""
	}
	defer db.Close()
	// A failure is reported by the caller that needs the connection.
	_ = db.QueryRowContext(ctx, `SELECT format('%s/%s', (SELECT system_identifier FROM pg_control_system()),
		(SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&id)
	return id
}

// grants lets the role in bordero.worker work in the schema, and not change it. The owner of the
// schema runs it. Functions are everybody's. Objects of other owners, such as views of an
// extension, are granted by their owners.
const grants = `
DO $$
DECLARE
  worker text := current_setting('bordero.worker');
  granted record;
BEGIN
  IF NOT has_schema_privilege(worker, current_schema(), 'USAGE') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), worker);
  END IF;
  IF NOT (has_database_privilege(worker, current_database(), 'CONNECT') AND has_database_privilege(worker,
	current_database(), 'TEMP')) THEN
    -- an import stages its items
    EXECUTE format('GRANT CONNECT, TEMP ON DATABASE %I TO %I', current_database(), worker);
  END IF;
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I',
	current_schema(), worker);
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE ON SEQUENCES TO %I', current_schema(), worker);
  FOR granted IN SELECT oid::regclass AS name, relname, CASE relkind WHEN 'S' THEN 'USAGE ON SEQUENCE'
	WHEN 'v' THEN 'SELECT ON TABLE' ELSE 'SELECT, INSERT, UPDATE, DELETE ON TABLE' END AS rights
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
	AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('GRANT %s %s TO %I', granted.rights, granted.name, worker);
    IF granted.relname = 'goose_db_version' THEN
      EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s FROM %I', granted.name, worker);
    END IF;
  END LOOP;
END $$`

// grant makes the role of url unless it exists, and grants it the rights that processes need. It
// refuses a role that may change the schema all the same.
func grant(ctx context.Context, url, ownerURL string) error {
	worker, err := pq.NewConfig(url)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	db, err := sql.Open("postgres", ownerURL)
	if err != nil {
		return fmt.Errorf("BORDERO_OWNER_DATABASE_URL: %w", err)
	}
	defer db.Close()
	var exists bool
	if err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, worker.User).Scan(
		&exists); err != nil {
		return fmt.Errorf("BORDERO_OWNER_DATABASE_URL: %w", err)
	}
	if !exists {
		password, err := passwordLiteral(worker.Password)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, "CREATE ROLE "+pq.QuoteIdentifier(worker.User)+" LOGIN PASSWORD "+password)
		// Another process may have made the role meanwhile.
		if err != nil && pq.As(err, pqerror.DuplicateObject, pqerror.UniqueViolation) == nil {
			if pq.As(err, pqerror.InsufficientPrivilege) != nil {
				err = fmt.Errorf("%w; the role of BORDERO_OWNER_DATABASE_URL lacks CREATEROLE: make the "+
					"role as a superuser, or let the owner make it (ALTER ROLE … CREATEROLE)", err)
			}
			return fmt.Errorf("make the role %s of DATABASE_URL: %w", worker.User, err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it is a no-op
	for _, query := range []string{
		`SELECT pg_advisory_xact_lock(hashtext('bordero grants'))`, // two that change one object at once fail
		`SELECT set_config('bordero.worker', ` + pq.QuoteLiteral(worker.User) + `, true)`,
		grants,
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("grant the role %s what processes need: %w", worker.User, err)
		}
	}
	var free bool
	err = tx.QueryRowContext(ctx, `
		SELECT has_schema_privilege($1, current_schema(), 'CREATE') OR pg_has_role($1, current_user, 'MEMBER')
			OR EXISTS (
			SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
				AND pg_has_role($1, relowner, 'MEMBER'))`,
		worker.User).Scan(&free)
	if err != nil {
		return err
	}
	if free {
		return fmt.Errorf("the role %s of DATABASE_URL could change the schema: it must be no superuser, own no "+
			"table, be no member of the owner, "+
			"and not create in the schema (REVOKE CREATE ON SCHEMA public FROM PUBLIC, where the database is older "+
			"than PostgreSQL 15)", worker.User)
	}
	return tx.Commit()
}
