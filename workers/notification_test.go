package workers

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage/deliveries"
)

var update = flag.Bool("update", false, "write the goldens")

// The bodies that receivers parse: each family in both formats, byte by byte.
func TestNotifications(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 3, 8, 0, 0, 999, time.FixedZone("", -3*3600))
	for _, family := range finance.Families {
		for _, format := range []wire.Format{wire.JSON, wire.XML} {
			got := notification(format, "https://api.example.com", deliveries.Delivery{
				Family: family, Action: finance.Updated, RecordID: 9, EntityID: 7, ParentID: 8, ChangeID: 17,
				CreatedAt: at,
			})
			name := filepath.Join("testdata", "notifications", string(family)+"."+format.String())
			if *update {
				if err := os.WriteFile(name, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if string(got)+"\n" != string(want) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if files, _ := filepath.Glob("testdata/notifications/*"); len(files) != 2*len(finance.Families) ||
		len(paths.Families) != len(finance.Families) {
		t.Errorf("%d families, %d with paths, %d goldens", len(finance.Families), len(paths.Families), len(files))
	}
}
