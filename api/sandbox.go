package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
)

// sandboxReset is a request to reset the account, which its name confirms.
type sandboxReset struct{ Name string }

// resetSandbox starts the deletion of all records of a sandbox account: 202 with the entity with which it begins again.
// Of other accounts nothing is touched (Tx.ResetSandbox).
func (a *API) resetSandbox(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		in = withoutHash(in)
		var r sandboxReset
		assignSandboxReset(in, &r)
		if err := checked(in, nil); err != nil {
			return answer{}, err
		}
		e, err := tx.ResetSandbox(ctx, c.access.AccountID, r.Name)
		if err != nil {
			return answer{}, placed(in, err)
		}
		out := entities.document(c, http.StatusAccepted, e)
		out.location = c.url(paths.Entity(e.ID))
		return out, nil
	})
}

func assignSandboxReset(in *wire.Input, r *sandboxReset) { in.String("name", &r.Name) }

var sandboxResetFields = openapi.Fields{
	"name": {Doc: "The name of the account, exactly as `GET /accounts` shows it: it confirms what is deleted.",
		Example: "Demonstração"},
}
