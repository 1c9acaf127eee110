package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
)

func TestPostgresWithTLS(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	pg, err := private.StartPostgres(t.Context(), dir, private.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Kill() })
	s := e2etest.New(t, e2etest.OnServers(pg.WorkerURL(), pg.URL()))
	data := filepath.Join(dir, "postgres")
	certificate, key := newCertificate(t)
	other, _ := newCertificate(t)
	for path, content := range map[string][]byte{
		filepath.Join(data, "server.crt"): certificate, filepath.Join(data, "server.key"): key,
		filepath.Join(data, "pg_hba.conf"): []byte("hostssl all all 127.0.0.1/32 scram-sha-256\n"),
		filepath.Join(dir, "ca.pem"):       certificate, filepath.Join(dir, "other.pem"): other,
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ownedAs(t, data, filepath.Join(data, "server.crt"), filepath.Join(data, "server.key"))
	if _, err := s.DB.Exec(`ALTER SYSTEM SET ssl = on`); err != nil {
		t.Fatal(err)
	}
	e2etest.Value[bool](t, s.DB, `SELECT pg_reload_conf()`)
	with := func(ca string) string {
		return "DATABASE_URL=" + strings.Replace(pg.WorkerURL(), "sslmode=disable", "sslmode=verify-full&sslrootcert="+
			filepath.Join(dir, ca), 1)
	}
	plain := s.Env
	s.Env = append(plain[:len(plain):len(plain)], with("ca.pem"))
	testkit.Eventually(t, "the server speaks TLS", func() bool {
		_, _, err := e2etest.Command(t, s.Env, "migrate", "status")
		return err == nil
	})
	if _, said, err := e2etest.Command(t, append(plain[:len(plain):len(plain)], with("other.pem")), "migrate",
		"status"); err == nil || !strings.Contains(said, "certificate") {
		t.Errorf("a server of another authority: %v %s", err, said)
	}
	if _, said, err := e2etest.Command(t, plain, "migrate", "status"); err == nil ||
		!strings.Contains(said, "no encryption") {
		t.Errorf("without TLS: %v %s", err, said)
	}
	s.Serve()
	s.Worker()
	if b := s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(10)); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	const ours = `SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
		WHERE application_name LIKE 'bordero %' AND ssl = $1`
	if secret, open := e2etest.Value[int](t, s.DB, ours, true), e2etest.Value[int](t, s.DB, ours, false); secret == 0 ||
		open > 0 {
		t.Errorf("%d connections are with TLS, %d without", secret, open)
	}
}

// newCertificate returns a self-signed certificate for this machine, and its key.
func newCertificate(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: rand.Text()}, IPAddresses: []net.IP{
			net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}
