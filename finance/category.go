package finance

import (
	_ "embed" // categories.txt
	"strings"
	"time"

	"bordero/internal/messages"
)

// CategorySeparator separates the names in a full name.
const CategorySeparator = " / "

// Category is a source of income or a purpose of spending. The categories of an account form a
// tree.
type Category struct {
	ID             int64
	AccountID      int64
	ExternalID     *string
	ParentID       *int64
	ParentFullName *string // alternative to ParentID; input only
	Name           string
	FullName       string // the names from the root; derived from name and parent
	Revenue        bool
	Cost           bool
	ForceDestroy   bool
	CreatorID      *int64 // nil for a default category
	UseCount       int64  // records that refer to it, counted by the scheduler
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Below          []int64 // descendants that the last update renamed, or the deletion removed
}

// Validate refuses a category without a name, which also has no full name.
func (c *Category) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", c.ExternalID)
	validateName(&invalid, c.Name)
	if strings.TrimSpace(c.Name) == "" {
		invalid.Add("full_name", messages.Blank)
	}
	return invalid.Err()
}

// DefaultCategory is a category that every new account begins with.
type DefaultCategory struct {
	Parent  string // "" for a root
	Name    string
	Revenue bool // false for a cost
}

//go:embed categories.txt
var defaultCategories string

// DefaultCategories returns the categories of a new account: a tree of two levels that suits a
// small Brazilian company. Each root comes before its children.
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
