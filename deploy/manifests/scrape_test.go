package manifests

import (
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what is made of other files")

const component = "../kubernetes/components/prometheus/"

// scraped is the part of prometheus.yml and prometheus-compose.yml that gives the labels.
type scraped struct {
	RuleFiles     []string `json:"rule_files"`
	ScrapeConfigs []struct {
		JobName       string `json:"job_name"`
		StaticConfigs []struct {
			Targets []string
			Labels  map[string]string
		} `json:"static_configs"`
		DNS []struct {
			Names []string
			Port  int
		} `json:"dns_sd_configs"`
		Relabel []struct {
			Source      []string `json:"source_labels"`
			Regex       string
			Target      string `json:"target_label"`
			Replacement string
		} `json:"relabel_configs"`
	} `json:"scrape_configs"`
}

func scrapes(t *testing.T, name string) (s scraped) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, "../prometheus/"+name)), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.ScrapeConfigs) != 2 || s.ScrapeConfigs[0].JobName != "bordero" ||
		s.ScrapeConfigs[1].JobName != "bordero-node" || !slices.Equal(s.RuleFiles, []string{"alerts.yml"}) {
		t.Fatalf("%s is %+v", name, s)
	}
	return s
}

// The processes of the systemd units are scraped at their ops addresses.
func TestScrapesOfSystemd(t *testing.T) {
	want := map[string]string{}
	for name, words := range processes(t) {
		_, address, _ := strings.Cut(read(t, "../systemd/env/"+name+".env"), "BORDERO_OPS_ADDR=")
		address, _, _ = strings.Cut(address, "\n")
		want[address] = strings.Join(words, " ")
	}
	got := map[string]string{}
	for _, s := range scrapes(t, "prometheus.yml").ScrapeConfigs[0].StaticConfigs {
		got[s.Targets[0]] = s.Labels["process"]
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v are scraped, not %v", got, want)
	}
}

// The containers of the services are scraped, and are named as their processes name themselves.
func TestScrapesOfCompose(t *testing.T) {
	of := scrapes(t, "prometheus-compose.yml").ScrapeConfigs[0]
	if want := slices.Sorted(maps.Keys(processes(t))); !slices.Equal(slices.Sorted(slices.Values(of.DNS[0].Names)),
		want) || of.DNS[0].Port != 9090 {
		t.Errorf("%+v is scraped, not %v", of.DNS, want)
	}
	for name, words := range processes(t) {
		got := ""
		for _, r := range of.Relabel {
			if !slices.Equal(r.Source, []string{"__meta_dns_name"}) || r.Target != "process" {
				t.Errorf("%+v", r)
			}
			got = relabelled(got, name, r.Regex, r.Replacement)
		}
		if got != strings.Join(words, " ") {
			t.Errorf("%s is named %q", name, got)
		}
	}
}

// relabelled returns what a rule of Prometheus makes of a label whose value was before.
func relabelled(before, source, regex, replacement string) string {
	if replacement == "" {
		replacement = "$1"
	}
	whole := regexp.MustCompile("^(?:" + regex + ")$")
	if !whole.MatchString(source) {
		return before
	}
	return whole.ReplaceAllString(source, replacement)
}

// podMonitor has the fields of the operator's kind that we use.
type podMonitor struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Selector struct {
			MatchExpressions []struct {
				Key, Operator string
				Values        []string
			}
		}
		PodMetricsEndpoints []struct {
			Port, Interval string
			HonorLabels    bool
			Relabelings    []struct {
				SourceLabels                    []string
				Regex, TargetLabel, Replacement string
			}
		}
	}
}

func TestPodMonitor(t *testing.T) {
	var m podMonitor
	if err := yaml.UnmarshalStrict([]byte(read(t, component+"podmonitor.yaml")), &m); err != nil {
		t.Fatal(err)
	}
	if m.APIVersion != "monitoring.coreos.com/v1" || m.Kind != "PodMonitor" || len(m.Spec.PodMetricsEndpoints) != 1 {
		t.Fatalf("%+v", m)
	}
	endpoint := m.Spec.PodMetricsEndpoints[0]
	for name, d := range build(t, "../kubernetes/base").deployments {
		pod := d.Spec.Template
		for _, e := range m.Spec.Selector.MatchExpressions {
			if slices.Contains(e.Values, pod.Labels[e.Key]) != (e.Operator == "In") {
				t.Errorf("%s is not selected: %+v", name, e)
			}
		}
		if container := pod.Spec.Containers[0]; container.LivenessProbe.HTTPGet.Port.StrVal != endpoint.Port {
			t.Errorf("%s is scraped at %s", name, endpoint.Port)
		}
		given := map[string]string{}
		for _, r := range endpoint.Relabelings {
			if r.Regex == "" {
				given[r.TargetLabel] = r.Replacement
				continue
			}
			given[r.TargetLabel] = relabelled(given[r.TargetLabel], name, r.Regex, r.Replacement)
		}
		if want := strings.Join(processes(t)[name], " "); given["process"] != want || given["job"] != "bordero" ||
			!endpoint.HonorLabels {
			t.Errorf("%s is labelled %v", name, given)
		}
	}
}

const rulesHeader = `# deploy/prometheus/alerts.yml for the Prometheus operator, written by
# go -C deploy/manifests test . -run TestPrometheusRule -update
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: bordero
spec:
`

func TestPrometheusRule(t *testing.T) {
	_, groups, _ := strings.Cut(read(t, alertsFile), "\ngroups:")
	want := rulesHeader + strings.TrimRight(regexp.MustCompile(`(?m)^(.)`).ReplaceAllString("groups:"+groups, "  $1"),
		"\n") + "\n"
	if *update {
		if err := os.WriteFile(component+"rules.yaml", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, component+"rules.yaml") != want {
		t.Error("rules.yaml is not alerts.yml: its first lines have the command that writes it")
	}
}

// The example can take the component.
func TestComponent(t *testing.T) {
	dir, err := os.MkdirTemp("../kubernetes/overlays", "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	overlay := "namespace: bordero\nresources: [../example]\ncomponents: [../../components/prometheus]\n"
	if err := os.WriteFile(dir+"/kustomization.yaml", []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, r := range made.Resources() {
		if r.GetNamespace() == "bordero" {
			kinds[r.GetKind()]++
		}
	}
	if kinds["PodMonitor"] != 1 || kinds["PrometheusRule"] != 1 || kinds["Deployment"] != len(processes(t)) {
		t.Errorf("it creates %v", kinds)
	}
}
