package console

import (
	"net/http"
	"strconv"
)

// begin sends the browser to the month of the only entity, or shows the accounts and entities to choose from.
func (v *visit) begin() error {
	if len(v.opens) == 1 && len(v.opens[0].Entities) == 1 {
		return v.done(entityPage(v.opens[0].ID, v.opens[0].Entities[0].ID), "")
	}
	return v.choose()
}

// entities shows the entities of an account.
func (v *visit) entities() error {
	v.opens = []opened{*v.Account()}
	return v.choose()
}

func entityPage(account, entity int64) string {
	return Root + "/" + strconv.FormatInt(account, 10) + "/entities/" + strconv.FormatInt(entity, 10)
}

// choice is an account and its entities.
type choice struct {
	Name     string
	Root     string
	Entities []chosen
}

type chosen struct{ Name, Href string }

func (v *visit) choose() error {
	var accounts []struct{ Account named }
	if _, err := v.get("/accounts", nil, &accounts); err != nil {
		return err
	}
	names := map[int64]string{}
	for _, a := range accounts {
		names[a.Account.ID] = a.Account.Name
	}
	var all []choice
	for _, a := range v.opens {
		c := choice{Name: names[a.ID], Root: Root + "/" + strconv.FormatInt(a.ID, 10)}
		for _, e := range a.Entities {
			c.Entities = append(c.Entities, chosen{e.Name, entityPage(a.ID, e.ID)})
		}
		all = append(all, c)
	}
	return v.show(http.StatusOK, "choose", all)
}
