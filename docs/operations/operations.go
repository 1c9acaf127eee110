// Package operations has the runbook, which the monitor serves.
package operations

import _ "embed" // for the runbook

// Runbook is Markdown: a section for each alert of deploy/prometheus/alerts.yml.
//
//go:embed runbook.md
var Runbook string
