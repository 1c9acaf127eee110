package members_test

import (
	"testing"

	"bordero/storage/storagetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }
