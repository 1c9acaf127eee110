package operators

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// UsedQuota is a quota of an account, and what the account uses of it.
type UsedQuota struct {
	AccountID   int64
	Name        string // of the account
	Quota       string
	Limit, Used int64
}

// NearQuotas lists the n quotas of which accounts use the largest share, from four fifths on, the largest share first.
// It knows the quotas that the database counts.
func NearQuotas(ctx context.Context, q storage.Queries, n int) ([]UsedQuota, error) {
	var names []string
	var defaults []int64
	for _, of := range finance.AllQuotas() {
		if storage.Counted(of) {
			names, defaults = append(names, of.String()), append(defaults, finance.DefaultQuotas[of])
		}
	}
	used, err := db.ManyNamed[UsedQuota](ctx, q.DB, nearQuotas, db.Args{
		"names": pq.Array(names), "defaults": pq.Array(defaults), "most": n})
	if err != nil {
		return nil, fmt.Errorf("list the quotas that are nearly used: %w", err)
	}
	return used, nil
}

var nearQuotas = db.Named("quotas.near", `
	WITH used AS (
		SELECT account_id, 'file_bytes' AS quota, sum(file_bytes) AS used FROM account_usage GROUP BY account_id
		UNION ALL
		SELECT account_id, 'statement_rows', sum(statement_rows) FROM account_usage GROUP BY account_id
		UNION ALL
		SELECT account_id, 'webhooks', count(*) FROM webhooks w
		WHERE deleted_at IS NULL AND `+storage.EntityVisible("w")+` GROUP BY account_id
		UNION ALL
		SELECT account_id, 'running_imports', count(*) FROM jobs WHERE`+queue.RunningImports+`GROUP BY account_id
	)
	SELECT a.id AS account_id, a.name, u.quota, l.most AS limit, u.used::bigint AS used
	FROM used u
	JOIN unnest(@names::text[], @defaults::bigint[]) AS d (quota, most) ON d.quota = u.quota
	JOIN accounts a ON a.id = u.account_id
	LEFT JOIN account_quotas q ON q.account_id = a.id
	CROSS JOIN LATERAL (SELECT coalesce((to_jsonb(q) ->> u.quota)::bigint, d.most) AS most) l
	WHERE u.used > 0 AND u.used >= 0.8 * l.most
	ORDER BY u.used / greatest(l.most, 1) DESC, a.id, u.quota
	LIMIT @most`)
