package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each release of the changelog has its changes in the documentation, under the same day.
func TestTheChangesOfEachReleaseAreTold(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	told := read("guides/mudancas.md")
	releases := regexp.MustCompile(`(?m)^## \[(\d\S+)\] - (\d{4})-(\d\d)-(\d\d)$`).FindAllStringSubmatch(
		string(changelog), -1)
	if len(releases) < 2 {
		t.Fatalf("the changelog has the releases %v", releases)
	}
	for _, r := range releases {
		if heading := "\n## " + r[1] + " — " + r[4] + "/" + r[3] + "/" + r[2] + "\n"; !strings.Contains(told, heading) {
			t.Errorf("mudancas.md has no heading %q", heading)
		}
	}
}
