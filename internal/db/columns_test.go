package db_test

import (
	"fmt"
	"maps"
	"testing"

	"bordero/internal/db"
)

type references struct{ CategoryID *int64 }

type record struct {
	ID     int64
	Name   string
	Amount int64
	references
}

func TestColumnsAreNamedOnce(t *testing.T) {
	t.Parallel()
	c := db.ColumnsOf[record]("name, amount,\n\tcategory_id")
	for got, want := range map[string]string{
		c.List("r."):    "r.name, r.amount, r.category_id",
		c.Parameters():  "@name, @amount, @category_id",
		c.Assignments(): "name = @name, amount = @amount, category_id = @category_id",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestColumnsRefuseANameWithoutAField(t *testing.T) {
	t.Parallel()
	defer func() {
		if fmt.Sprint(recover()) != "db_test.record has no field for the column nome" {
			t.Error("it was taken")
		}
	}()
	db.ColumnsOf[record]("id, nome")
}

func TestColumnsHaveTheValuesOfARecord(t *testing.T) {
	t.Parallel()
	category := int64(7)
	r := record{ID: 1, Name: "a", Amount: 5, references: references{&category}}
	got := db.ColumnsOf[record]("amount, category_id, name").Args(&r)
	if want := (db.Args{"amount": int64(5), "category_id": &category, "name": "a"}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
