package manifests

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	promql "github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

const alertsFile = "../prometheus/alerts.yml"

// alerts reads alerts.yml as Prometheus does, which parses the expressions and templates.
func alerts(t *testing.T) (all []rulefmt.Rule) {
	t.Helper()
	groups, errs := rulefmt.ParseFile(alertsFile, false)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 25 {
		t.Fatalf("only %d alerts", len(all))
	}
	return all
}

func TestAlertsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, a := range alerts(t) {
		names[a.Alert] = true
		if severity := a.Labels["severity"]; a.For == 0 || severity != "page" && severity != "ticket" {
			t.Errorf("%s has for %v and severity %q", a.Alert, a.For, severity)
		}
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s says nothing", a.Alert)
		}
		if url := "{{ $externalLabels.bordero_runbook }}#" +
			strings.ToLower(a.Alert); a.Annotations["runbook_url"] != url {
			t.Errorf("the runbook of %s is at %s, not %s", a.Alert, a.Annotations["runbook_url"], url)
		}
	}
	sections := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (Bordero\w+)$`).FindAllStringSubmatch(
		read(t, "../../docs/operations/runbook.md"), -1) {
		sections[heading[1]] = true
	}
	if !maps.Equal(names, sections) {
		t.Errorf("the alerts are %v,\nthe runbook has %v", slices.Sorted(maps.Keys(names)),
			slices.Sorted(maps.Keys(sections)))
	}
}

// Each alert has a case in which it is silent and one in which it fires. The long tier runs them.
func TestEveryAlertIsTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Name      string
			ExprTests []struct {
				Expr    string
				Samples []any `json:"exp_samples"`
			} `json:"promql_expr_test"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../prometheus/alerts_test.yml")), &file); err != nil {
		t.Fatal(err)
	}
	cases := map[string][2]int{}
	for _, test := range file.Tests {
		for _, e := range test.ExprTests {
			n := cases[test.Name]
			if strings.Contains(e.Expr, strconv.Quote(test.Name)) {
				n[min(len(e.Samples), 1)]++
			}
			cases[test.Name] = n
		}
	}
	for _, a := range alerts(t) {
		if n := cases[a.Alert]; n[0] == 0 || n[1] == 0 {
			t.Errorf("%s is silent in %d cases and fires in %d", a.Alert, n[0], n[1])
		}
	}
}

// targetLabels are those that each scrape configuration of ours gives.
var targetLabels = []string{"job", "instance", "process", "namespace"}

// What alerts, dashboard and autoscaling query exists, with its labels.
func TestQueriesNameMetricsThatExist(t *testing.T) {
	exist := metrics(t)
	for where, query := range queries(t) {
		expr, err := promql.ParseExpr(query)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		known := slices.Clone(targetLabels)
		promql.Inspect(expr, func(node promql.Node, _ []promql.Node) error {
			if s, is := node.(*promql.VectorSelector); is && strings.HasPrefix(s.Name, "bordero_") {
				has, exists := exist[regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(s.Name, "")]
				if !exists {
					t.Errorf("%s: nobody exports %s", where, s.Name)
				}
				known = append(known, has...)
				for _, m := range s.LabelMatchers {
					if m.Name != labels.MetricName && !slices.Contains(has, m.Name) &&
						!slices.Contains(targetLabels, m.Name) {
						t.Errorf("%s: %s has no label %s", where, s.Name, m.Name)
					}
				}
			}
			return nil
		})
		promql.Inspect(expr, func(node promql.Node, _ []promql.Node) error {
			if a, is := node.(*promql.AggregateExpr); is && strings.Contains(query, "bordero_") {
				for _, label := range a.Grouping {
					if !slices.Contains(known, label) && label != "le" {
						t.Errorf("%s: nothing has the label %s", where, label)
					}
				}
			}
			return nil
		})
	}
}

// queries are the expressions of the alerts, of the dashboard and of the autoscaling, by where they are.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range alerts(t) {
		all[a.Alert] = a.Expr
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "../grafana/bordero.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for i, target := range p.Targets {
			all[p.Title+" "+strconv.Itoa(i)] = strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
		}
	}
	for name, s := range build(t, "../kubernetes/base").scaled {
		if query := s.Spec.Triggers[0].Metadata["query"]; query != "" {
			all["the autoscaling of "+name] = query
		}
	}
	return all
}

// metrics returns the labels of each metric that internal/metrics names, from its source.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{"bordero_build_info": {"version", "revision", "goversion"},
		"bordero_backup_timestamp_seconds": nil}
	files, err := filepath.Glob("../../internal/metrics/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				if texts := literals(call); len(texts) > 0 && strings.HasPrefix(texts[0], "bordero_") {
					found[texts[0]] = append(found[texts[0]], texts[1:]...)
				}
			}
			return true
		})
	}
	if len(found) < 30 {
		t.Fatalf("only the metrics %v were found", slices.Sorted(maps.Keys(found)))
	}
	return found
}

// literals returns the name and the labels of a metric that a call describes: describe(name, help, labels...) or
// NewCounterVec(CounterOpts{Name: name}, []string{labels}).
func literals(call *ast.CallExpr) (texts []string) {
	for _, argument := range call.Args {
		switch a := argument.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(a.Value); err == nil {
				texts = append(texts, text)
			}
		case *ast.CompositeLit:
			for _, e := range a.Elts {
				if field, is := e.(*ast.KeyValueExpr); is {
					if key, is := field.Key.(*ast.Ident); !is || key.Name != "Name" {
						continue
					}
					e = field.Value
				}
				if literal, is := e.(*ast.BasicLit); is {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						texts = append(texts, text)
					}
				}
			}
		}
	}
	return texts
}
