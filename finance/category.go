package finance

import (
	_ "embed" // categories.txt
	"strings"
	"time"

	"bordero/internal/messages"
)

// CategorySeparator stands between the names of a full name.
const CategorySeparator = " / "

// Category says what money is earned with or spent on. The categories of an
// account are a tree.
type Category struct {
	ID             int64
	AccountID      int64
	ParentID       *int64
	ParentFullName *string // names the parent instead of ParentID; input only
	Name           string
	FullName       string // the names from the root; follows from name and parent
	Revenue        bool
	Cost           bool
	ForceDestroy   bool
	CreatorID      *int64 // nil for one that came with the account
	UseCount       int64  // how many records refer to it; counted by the scheduler
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Below          []int64 // those below it that its last change has changed, or removed
}

// Validate refuses a category without a name, and so without a full name.
func (c *Category) Validate() error {
	var invalid Invalid
	validateName(&invalid, c.Name)
	if strings.TrimSpace(c.Name) == "" {
		invalid.Add("full_name", messages.Blank)
	}
	return invalid.Err()
}

// DefaultCategory is a category that a new account begins with.
type DefaultCategory struct {
	Parent  string // "" for a root
	Name    string
	Revenue bool // else it is cost
}

//go:embed categories.txt
var defaultCategories string

// DefaultCategories is the tree that a new account begins with, two levels of
// what a small Brazilian company needs, each root before what is below it.
func DefaultCategories() (tree []DefaultCategory) {
	var root DefaultCategory
	for line := range strings.Lines(defaultCategories) {
		switch name := strings.TrimSpace(line); {
		case name == "":
		case name[0] == '+' || name[0] == '-':
			root = DefaultCategory{Name: strings.TrimSpace(name[1:]), Revenue: name[0] == '+'}
			tree = append(tree, root)
		default:
			tree = append(tree, DefaultCategory{Parent: root.Name, Name: name, Revenue: root.Revenue})
		}
	}
	return tree
}
