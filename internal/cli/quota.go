package cli

import (
	"context"
	"fmt"
	"strconv"

	"bordero/finance"
	"bordero/storage"
)

type quotaCommand struct {
	Set  setQuotaCommand   `cmd:"" help:"Set quotas of an account. They count from its next request on; one below what is used refuses only what is new."`
	List listQuotasCommand `cmd:"" help:"List the quotas of an account, or of all accounts, and what each uses."`
}

// quotaValue is the value of a flag: a number, or default.
type quotaValue struct {
	given bool
	most  *int64 // nil for the default
}

func (v *quotaValue) UnmarshalText(text []byte) error {
	v.given = true
	if string(text) == "default" {
		return nil
	}
	most, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || most < 0 {
		return fmt.Errorf("%q is neither a whole number of at least 0 nor default", text)
	}
	v.most = &most
	return nil
}

type setQuotaCommand struct {
	Account int64 `required:"" placeholder:"ID" help:"Id of the account."`

	RequestsPerMinute quotaValue `placeholder:"N" help:"Requests of all tokens of the account in a calendar minute; this and the other quotas: a number, or default."`
	HeldRequests      quotaValue `placeholder:"N" help:"Requests being served at once by one process of the API."`
	Exports           quotaValue `placeholder:"N" help:"Lists being sent as CSV or XLSX at once by one process of the API."`
	RunningImports    quotaValue `placeholder:"N" help:"Statements being imported at once; further ones wait."`
	FileBytes         quotaValue `placeholder:"N" help:"Bytes of the files of statements and attachments."`
	StatementRows     quotaValue `placeholder:"N" help:"Items of statements that are stored, imported and ignored ones."`
	Webhooks          quotaValue `placeholder:"N" help:"Webhooks."`
	JSON              bool       `help:"Print JSON, one line per quota."`
	dataFlag
}

// given returns the quotas that the flags set.
func (q setQuotaCommand) given() (map[finance.Quota]*int64, error) {
	set := map[finance.Quota]*int64{}
	for i, v := range []quotaValue{
		finance.RequestsPerMinute: q.RequestsPerMinute, finance.HeldRequests: q.HeldRequests,
		finance.Exports: q.Exports, finance.RunningImports: q.RunningImports, finance.FileBytes: q.FileBytes,
		finance.StatementRows: q.StatementRows, finance.Webhooks: q.Webhooks,
	} {
		of := finance.Quota(i)
		if !v.given {
			continue
		}
		if v.most != nil && *v.most < of.Least() {
			return nil, wrongUsage("%s: at least %d", of, of.Least())
		}
		set[of] = v.most
	}
	if len(set) == 0 {
		return nil, wrongUsage("name a quota, as --webhooks 100")
	}
	return set, nil
}

func (q setQuotaCommand) Run(ctx context.Context) error {
	set, err := q.given()
	if err != nil {
		return err
	}
	s, err := q.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.InTx(ctx, func(tx *storage.Tx) error { return tx.PutQuotas(ctx, q.Account, set) })
	if err != nil {
		return explainAccount(err, q.Account)
	}
	return printQuotas(ctx, s, q.Account, q.JSON)
}

type listQuotasCommand struct {
	Account int64 `placeholder:"ID" help:"Id of the account; all accounts if not given."`
	JSON    bool  `help:"Print JSON, one line per quota."`
	dataFlag
}

func (q listQuotasCommand) Run(ctx context.Context) error {
	s, err := q.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return printQuotas(ctx, s, q.Account, q.JSON)
}

// quotaRow is a quota of an account. Used is nil for what processes count.
type quotaRow struct {
	AccountID int64  `json:"account_id"`
	Quota     string `json:"quota"`
	Limit     int64  `json:"limit"`
	Default   bool   `json:"default"`
	Used      *int64 `json:"used"`
}

// printQuotas prints the quotas of an account, or with 0 of all accounts.
func printQuotas(ctx context.Context, s *storage.Store, account int64, asJSON bool) (err error) {
	var all []storage.AccountQuotas
	if account == 0 {
		all, err = s.AllQuotas(ctx)
	} else {
		all = make([]storage.AccountQuotas, 1)
		all[0], err = s.Quotas(ctx, account)
	}
	if err != nil {
		return explainAccount(err, account)
	}
	var rows []quotaRow
	for _, a := range all {
		for _, q := range finance.AllQuotas() {
			r := quotaRow{AccountID: a.AccountID, Quota: q.String(), Limit: a.Quotas[q], Default: !a.Set[q]}
			if used := a.Used[q]; storage.Counted(q) {
				r.Used = &used
			}
			rows = append(rows, r)
		}
	}
	return listing[quotaRow]{
		json: asJSON, none: "no accounts", columns: []string{"ACCOUNT", "QUOTA", "LIMIT", "DEFAULT", "USED"},
		row: func(r quotaRow) []string {
			used := "-"
			if r.Used != nil {
				used = fmt.Sprint(*r.Used)
			}
			return []string{fmt.Sprint(r.AccountID), r.Quota, fmt.Sprint(r.Limit),
				map[bool]string{true: "yes"}[r.Default], used}
		},
	}.print(rows)
}
