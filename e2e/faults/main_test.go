package faults

import (
	"testing"

	"bordero/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }
