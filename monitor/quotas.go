package monitor

import (
	"context"
	"fmt"

	"bordero/storage/operators"
)

// nearest is the number of quotas that the page lists.
const nearest = 20

func (m *Monitor) fillQuotas(ctx context.Context, s *section) error {
	used, err := operators.NearQuotas(ctx, m.store.Queries, nearest)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Quota"}, {Name: "Used", Number: true},
		{Name: "Limit", Number: true}}
	for _, u := range used {
		s.Rows = append(s.Rows, row{Cells: texts(cell{Text: fmt.Sprint(u.AccountID), More: u.Name}, u.Quota,
			cell{Text: fmt.Sprint(u.Used), Bad: u.Used >= u.Limit}, u.Limit)})
	}
	s.More = fmt.Sprintf("The %d quotas nearest to their limits, from four fifths on. Requests and exports are "+
		"counted by processes and are not listed. bordero quota set changes a limit: "+
		"docs/operations/quotas.md.", nearest)
	return err
}
