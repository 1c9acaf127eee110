package manifests

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// scaledObject has the fields of KEDA's kind that these manifests use.
type scaledObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string            `json:"name"`
		Namespace string            `json:"namespace"`
		Labels    map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int             `json:"minReplicaCount"`
		MaxReplicaCount int             `json:"maxReplicaCount"`
		CooldownPeriod  int             `json:"cooldownPeriod"`
		Advanced        json.RawMessage `json:"advanced"`
		Triggers        []struct {
			Type       string            `json:"type"`
			MetricType string            `json:"metricType"`
			Metadata   map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// cluster is all that a kustomization creates, by kind and name.
type cluster struct {
	deployments map[string]apps.Deployment
	policies    map[string]networking.NetworkPolicy
	budgets     map[string]policy.PodDisruptionBudget
	scaled      map[string]scaledObject
	jobs        map[string]batch.Job
	configs     map[string]core.ConfigMap
	services    map[string]core.Service
	accounts    map[string]core.ServiceAccount
	namespaces  map[string]core.Namespace
	ingresses   map[string]networking.Ingress
}

// build renders a kustomization and decodes each of its documents strictly.
func build(t *testing.T, dir string) cluster {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var c cluster
	for _, r := range made.Resources() {
		document, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		switch r.GetKind() {
		case "Deployment":
			decode(t, document, r.GetName(), &c.deployments)
		case "NetworkPolicy":
			decode(t, document, r.GetName(), &c.policies)
		case "PodDisruptionBudget":
			decode(t, document, r.GetName(), &c.budgets)
		case "ScaledObject":
			decode(t, document, r.GetName(), &c.scaled)
		case "Job":
			decode(t, document, r.GetName(), &c.jobs)
		case "ConfigMap":
			decode(t, document, r.GetName(), &c.configs)
		case "Service":
			decode(t, document, r.GetName(), &c.services)
		case "ServiceAccount":
			decode(t, document, r.GetName(), &c.accounts)
		case "Namespace":
			decode(t, document, r.GetName(), &c.namespaces)
		case "Ingress":
			decode(t, document, r.GetName(), &c.ingresses)
		default:
			t.Errorf("%s: nothing here knows a %s", dir, r.GetKind())
		}
		if ns := r.GetNamespace(); ns != "bordero" && r.GetKind() != "Namespace" {
			t.Errorf("%s %s is in %q", r.GetKind(), r.GetName(), ns)
		}
	}
	return c
}

// decode refuses a field that the kind does not have.
func decode[T any](t *testing.T, document []byte, name string, into *map[string]T) {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict(document, &v); err != nil {
		t.Errorf("%s: %v\n%s", name, err, document)
	}
	if *into == nil {
		*into = map[string]T{}
	}
	(*into)[name] = v
}

func TestKubernetes(t *testing.T) {
	for _, dir := range []string{"../kubernetes/base", "../kubernetes/overlays/example"} {
		t.Run(dir, func(t *testing.T) {
			c := build(t, dir)
			complete(t, "deployments", c.deployments)
			complete(t, "budgets", c.budgets)
			for name, d := range c.deployments {
				c.runsPod(t, name, d.Spec.Template.Spec)
				if d.Spec.Template.Labels["app.kubernetes.io/name"] != name ||
					d.Spec.Selector.MatchLabels["app.kubernetes.io/name"] != name {
					t.Errorf("%s does not select itself", name)
				}
				if b := c.budgets[name]; b.Spec.Selector.MatchLabels["app.kubernetes.io/name"] != name ||
					b.Spec.MaxUnavailable.IntValue() != 1 {
					t.Errorf("the budget of %s is %+v", name, b.Spec)
				}
				if _, ok := c.accounts[d.Spec.Template.Spec.ServiceAccountName]; !ok {
					t.Errorf("%s runs as %q", name, d.Spec.Template.Spec.ServiceAccountName)
				}
				spreads(t, name, d.Spec.Template)
				container := d.Spec.Template.Spec.Containers[0]
				if container.LivenessProbe.HTTPGet.Path != "/healthz" ||
					container.ReadinessProbe.HTTPGet.Path != "/readyz" ||
					container.LivenessProbe.HTTPGet.Port.StrVal != "ops" ||
					container.ReadinessProbe.HTTPGet.Port.StrVal != "ops" {
					t.Errorf("%s is probed by %+v and %+v", name, container.LivenessProbe, container.ReadinessProbe)
				}
			}
			c.runsPod(t, "migrate", c.jobs["migrate"].Spec.Template.Spec)
			if a := c.jobs["migrate"].Annotations; a["kustomize.toolkit.fluxcd.io/force"] != "enabled" ||
				a["argocd.argoproj.io/hook-delete-policy"] != "BeforeHookCreation" {
				t.Errorf("migrate cannot be applied again: %v", a)
			}
			c.autoscales(t)
			c.mayReach(t)
		})
	}
}

// The documents say how many connections PostgreSQL must allow when everything is scaled up and is being replaced, and
// the example for high availability allows those of the least layout: two processes of each kind, and one monitor.
func TestConnectionsAreSummed(t *testing.T) {
	const ofEach = 20 // BORDERO_DATABASE_CONNECTIONS
	c := build(t, "../kubernetes/overlays/example")
	pods := 0
	for name, d := range c.deployments {
		surge := d.Spec.Strategy.RollingUpdate.MaxSurge.IntValue()
		if d.Spec.Replicas != nil {
			pods += int(*d.Spec.Replicas) + surge
		} else {
			pods += c.scaled[name].Spec.MaxReplicaCount + surge
		}
	}
	want := fmt.Sprintf("%d pods with %d connections each are %d", pods, ofEach, pods*ofEach)
	text := strings.Join(strings.Fields(read(t, "../../docs/operations/postgres.md")), " ")
	if !strings.Contains(text, want) {
		t.Errorf("postgres.md does not say: %s", want)
	}

	// Each process opens two more at its start, and PostgreSQL reserves three for superusers, such as Patroni.
	least := 2*len(processes(t)) - 1
	needed := least*(ofEach+2) + 3
	if allowed := readPatroni(t).Bootstrap.DCS.PostgreSQL.Parameters.MaxConnections; allowed < needed {
		t.Errorf("patroni.yml allows %d connections, and %d processes need %d", allowed, least, needed)
	}
}

// Kubernetes replaces the pods of a node that is gone after some minutes. The monitor alone may be away for so long.
func TestAnotherPodRunsWhenANodeFails(t *testing.T) {
	c := build(t, "../kubernetes/overlays/example")
	for name, d := range c.deployments {
		pods := c.scaled[name].Spec.MinReplicaCount
		if d.Spec.Replicas != nil {
			pods = int(*d.Spec.Replicas)
		}
		if pods < 2 && name != "monitor" {
			t.Errorf("%s has %d pod", name, pods)
		}
	}
}

// The operator fills in the overlay's proxies: its own value is a reserved network.
func TestKubernetesTrustsNoProxyByDefault(t *testing.T) {
	said := 0
	for name, config := range build(t, "../kubernetes/overlays/example").configs {
		for proxies := range strings.SplitSeq(config.Data["BORDERO_TRUSTED_PROXIES"], ",") {
			said++
			if p, err := netip.ParsePrefix(proxies); err != nil || !netip.MustParsePrefix("192.0.2.0/24").Contains(
				p.Addr()) || p.Bits() < 24 {
				t.Errorf("%s trusts %q", name, proxies)
			}
		}
	}
	if said == 0 {
		t.Error("no proxies are named")
	}
}

// spreads checks that the pods of a process are kept apart, and apart from no other process.
func spreads(t *testing.T, name string, pod core.PodTemplateSpec) {
	t.Helper()
	var keys []string
	for _, s := range pod.Spec.TopologySpreadConstraints {
		keys = append(keys, s.TopologyKey)
		if selector, err := meta.LabelSelectorAsSelector(s.LabelSelector); err != nil || !selector.Matches(
			labels.Set(pod.Labels)) || !slices.Equal(s.MatchLabelKeys, []string{"app.kubernetes.io/name"}) {
			t.Errorf("%s is spread by %+v, %v", name, s, err)
		}
	}
	if !slices.Equal(keys, []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}) {
		t.Errorf("%s is spread over %q", name, keys)
	}
	if name != "api" && name != "scheduler" {
		return
	}
	apart := pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	if len(apart) != 1 || apart[0].PodAffinityTerm.LabelSelector.MatchLabels["app.kubernetes.io/name"] != name {
		t.Errorf("%s is kept apart from %+v", name, apart)
	}
}

// runsPod checks a pod against its process and the restricted pod security standard.
func (c cluster) runsPod(t *testing.T, name string, pod core.PodSpec) {
	t.Helper()
	if len(pod.Containers) != 1 {
		t.Fatalf("%s has %d containers", name, len(pod.Containers))
	}
	container := pod.Containers[0]
	if container.ImagePullPolicy != core.PullIfNotPresent {
		t.Errorf("%s pulls its image %s", name, container.ImagePullPolicy)
	}
	var env []string
	for _, v := range container.Env {
		env = append(env, v.Name)
		if v.ValueFrom != nil && v.ValueFrom.SecretKeyRef == nil && v.ValueFrom.ResourceFieldRef == nil ||
			v.ValueFrom == nil && strings.Contains(v.Name, "URL") {
			t.Errorf("%s has %s from no secret", name, v.Name)
		}
	}
	for _, from := range container.EnvFrom {
		if from.SecretRef != nil {
			if reads := from.SecretRef.Name == "bordero-files-reading"; reads != (name == "signing" ||
				name == "statements") {
				t.Errorf("%s gets the credentials of %s", name, from.SecretRef.Name)
			}
		}
		if from.ConfigMapRef != nil {
			config, ok := c.configs[from.ConfigMapRef.Name]
			if !ok {
				t.Errorf("%s wants the ConfigMap %s", name, from.ConfigMapRef.Name)
			}
			env = slices.AppendSeq(env, maps.Keys(config.Data))
		}
	}
	runs(t, "kubernetes", name, container.Args, env)
	if s := pod.SecurityContext; !*s.RunAsNonRoot || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault ||
		*pod.AutomountServiceAccountToken {
		t.Errorf("%s is not confined", name)
	}
	limits := container.Resources.Limits
	if limits.Memory().IsZero() || limits.StorageEphemeral().IsZero() || limits.StorageEphemeral().Value() > 1<<30 {
		t.Errorf("%s has the limits %v", name, limits)
	}
	if name != "migrate" && max(limits.Memory().Value(), 256<<20) != systemdMemory(t, name) {
		t.Errorf("%s has %v, and under systemd %d", name, limits.Memory(), systemdMemory(t, name))
	}
	collects(t, name, container)
	if s := container.SecurityContext; *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem ||
		!slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("the container of %s is not confined", name)
	}
	if container.Resources.Requests.Cpu().IsZero() || container.Resources.Limits.Memory().IsZero() {
		t.Errorf("%s asks for %+v", name, container.Resources)
	}
	for _, v := range pod.Volumes {
		if v.Secret != nil && v.Secret.SecretName == "bordero-signing" && name != "signing" {
			t.Errorf("%s gets the key that signs", name)
		}
	}
}

// collects checks that the garbage collector's limit is below the container's, also in an overlay
// that changes the latter.
func collects(t *testing.T, name string, container core.Container) {
	t.Helper()
	for _, limit := range []int64{container.Resources.Limits.Memory().Value(), 100 << 20, 5 << 30} {
		values := map[string]string{} // as the kubelet makes them
		for _, v := range container.Env {
			if v.ValueFrom == nil {
				values[v.Name] = v.Value
				for other, value := range values {
					values[v.Name] = strings.ReplaceAll(values[v.Name], "$("+other+")", value)
				}
			} else if ref := v.ValueFrom.ResourceFieldRef; ref != nil && ref.Resource == "limits.memory" {
				divisor := max(ref.Divisor.Value(), 1)
				values[v.Name] = strconv.FormatInt((limit+divisor-1)/divisor, 10)
			}
		}
		if bytes, err := strconv.ParseInt(values["GOMEMLIMIT"], 10, 64); err != nil || bytes > limit*96/100 ||
			bytes < limit*3/4 {
			t.Errorf("%s collects at %d bytes of %d: %v", name, bytes, limit, err)
		}
	}
}

// autoscales checks that every worker follows its queue, and that nothing else is scaled.
func (c cluster) autoscales(t *testing.T) {
	t.Helper()
	for name, words := range processes(t) {
		s, is := c.scaled[name]
		if is != (words[0] == "work") {
			t.Errorf("%s is autoscaled: %v", name, is)
		}
		if !is {
			continue
		}
		if s.APIVersion != "keda.sh/v1alpha1" || s.Spec.ScaleTargetRef.Name != name || s.Spec.MinReplicaCount < 1 ||
			s.Spec.MaxReplicaCount <= s.Spec.MinReplicaCount || len(s.Spec.Triggers) != 1 {
			t.Errorf("%s is scaled by %+v", name, s.Spec)
			continue
		}
		if c.deployments[name].Spec.Replicas != nil {
			t.Errorf("%s says its replicas itself, and each apply would undo the scaling", name)
		}
		trigger := s.Spec.Triggers[0]
		if name == "signing" { // it answers questions and has no jobs
			if trigger.Type != "cpu" {
				t.Errorf("signing follows %+v", trigger)
			}
			continue
		}
		// If no scheduler can count the jobs, the query has no result, and KEDA keeps the number of replicas.
		if want := fmt.Sprintf(`max(bordero_job_oldest_due_seconds{namespace="bordero",queue=%q})`+
			` or 0 * (max(bordero_jobs_readable{namespace="bordero"}) == 1)`,
			words[1]); trigger.Type != "prometheus" || trigger.MetricType != "Value" ||
			trigger.Metadata["query"] != want || trigger.Metadata["ignoreNullValues"] != "false" {
			t.Errorf("%s follows %+v", name, trigger)
		}
	}
}

// mayReach checks the network policies against the list of permitted connections.
func (c cluster) mayReach(t *testing.T) {
	t.Helper()
	all := append(slices.Sorted(maps.Keys(processes(t))), "migrate")
	want := map[string][]string{
		"dns":            all,
		"postgres":       all,
		"redis":          all[:len(all)-1],
		"object-storage": {"api", "deletions", "scheduler", "signing", "statements"},
		"smtp":           {"webhooks"},
		"internet":       {"api", "monitor", "webhooks"},
	}
	if nothing := c.policies["nothing"].Spec; len(nothing.PolicyTypes) != 2 ||
		len(nothing.Ingress)+len(nothing.Egress) > 0 || !selects(t, nothing, "api") {
		t.Errorf("all is open to begin with: %+v", nothing)
	}
	for name, p := range c.policies {
		if len(p.Spec.Egress) == 0 {
			continue
		}
		var got []string
		for _, process := range all {
			if selects(t, p.Spec, process) {
				got = append(got, process)
			}
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s is for %v, not %v", name, got, want[name])
		}
		for _, rule := range p.Spec.Egress {
			if len(rule.To) == 0 || len(rule.Ports) == 0 {
				t.Errorf("%s is open to all", name)
			}
			for _, to := range rule.To {
				if to.IPBlock != nil && strings.HasSuffix(to.IPBlock.CIDR, "/0") &&
					(name != "internet" || !slices.Contains(to.IPBlock.Except, "169.254.0.0/16")) {
					t.Errorf("%s reaches %+v", name, to.IPBlock)
				}
			}
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("there is no policy %s", name)
	}
}

// selects reports whether a policy applies to the pods of a process.
func selects(t *testing.T, p networking.NetworkPolicySpec, process string) bool {
	t.Helper()
	for label, value := range p.PodSelector.MatchLabels {
		if label != "app.kubernetes.io/name" || value != process {
			return false
		}
	}
	for _, e := range p.PodSelector.MatchExpressions {
		if e.Key != "app.kubernetes.io/name" || e.Operator != "In" && e.Operator != "NotIn" {
			t.Fatalf("%+v", e)
		}
		if slices.Contains(e.Values, process) != (e.Operator == "In") {
			return false
		}
	}
	return true
}
