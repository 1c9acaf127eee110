package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Variables of the exporter are for all signals, or for traces alone.
const forAll, forTraces = "OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"

// enabled reports whether the variables name a collector. A value that the SDK would pass over, and then export other
// spans, to another place or without a key, is an error. The error does not show the value, which may be a secret.
func enabled() (bool, error) {
	exporter := cmp.Or(variable("OTEL_TRACES_EXPORTER"), "otlp")
	if cmp.Or(variable(forTraces+"ENDPOINT"), variable(forAll+"ENDPOINT")) == "" || exporter == "none" ||
		strings.EqualFold(variable("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	if exporter != "otlp" {
		return false, must("OTEL_TRACES_EXPORTER", "otlp or none")
	}
	for _, prefix := range []string{forAll, forTraces} {
		if err := exports(prefix); err != nil {
			return false, err
		}
	}
	protocol := cmp.Or(variable(forTraces+"PROTOCOL"), variable(forAll+"PROTOCOL"))
	if !slices.Contains([]string{"", "http/protobuf", "http/json"}, protocol) {
		return false, must(forAll+"PROTOCOL", "http/protobuf or http/json")
	}
	return true, samples()
}

// exports checks the variables of the exporter with a prefix.
func exports(prefix string) error {
	// The endpoint of all signals may be one of gRPC where traces have their own.
	if endpoint := variable(prefix + "ENDPOINT"); endpoint != "" &&
		(prefix == forTraces || variable(forTraces+"ENDPOINT") == "") {
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return must(prefix+"ENDPOINT", "an http:// or https:// URL")
		}
	}
	if headers := variable(prefix + "HEADERS"); headers != "" {
		for header := range strings.SplitSeq(headers, ",") {
			if strings.TrimSpace(header) == "" {
				continue // as the SDK does
			}
			name, value, found := strings.Cut(header, "=")
			value, err := url.PathUnescape(value)
			if !found || err != nil || !httpguts.ValidHeaderFieldName(strings.TrimSpace(name)) ||
				!httpguts.ValidHeaderFieldValue(strings.TrimSpace(value)) {
				return must(prefix+"HEADERS", "NAME=VALUE, or several with commas between them; a % in a value is %25")
			}
		}
	}
	if file := variable(prefix + "CERTIFICATE"); file != "" {
		if content, err := os.ReadFile(file); err != nil || !x509.NewCertPool().AppendCertsFromPEM(content) {
			return must(prefix+"CERTIFICATE", "the name of a file with certificates in PEM")
		}
	}
	certificate, key := variable(prefix+"CLIENT_CERTIFICATE"), variable(prefix+"CLIENT_KEY")
	if certificate+key != "" {
		if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
			return must(prefix+"CLIENT_CERTIFICATE",
				"the name of a file in PEM, and "+prefix+"CLIENT_KEY that of its key")
		}
	}
	return nil
}

// samples checks the variables of the sampler.
func samples() error {
	sampler := strings.ToLower(variable("OTEL_TRACES_SAMPLER"))
	kind := strings.TrimPrefix(sampler, "parentbased_")
	if sampler != "" && !slices.Contains([]string{"always_on", "always_off", "traceidratio"}, kind) {
		return must("OTEL_TRACES_SAMPLER", "always_on, always_off or traceidratio, or parentbased_ and one of these")
	}
	if ratio := variable("OTEL_TRACES_SAMPLER_ARG"); ratio != "" && kind == "traceidratio" {
		if n, err := strconv.ParseFloat(ratio, 64); err != nil || !(n >= 0 && n <= 1) { // NaN is neither
			return must("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1, such as 0.01")
		}
	}
	return nil
}

// variable returns a variable as the SDK reads it.
func variable(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// must returns the error of a variable that is something else.
func must(name, be string) error { return fmt.Errorf("bad configuration: %s must be %s", name, be) }
