package demo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/list"
	"bordero/storage/pricing"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

func silent(string, int, int) {}

// today is the last day of the books of these tests.
var today, _ = finance.NewDate(2026, 11, 21)

func TestFillAgreesWithItself(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	d := demo.Options{AccountID: tenant.AccountID, Sales: 3000, Transactions: 2000, Seed: 7, Today: today}
	for run := range 2 { // the second adds another company
		filled, err := demo.Fill(t.Context(), s, d, silent)
		if err != nil {
			t.Fatal(err)
		}
		if filled.Sales != 3000 || filled.FinancialTransactions != 2000 || filled.Reconciles < 50 ||
			filled.FinancialAccounts < 500 {
			t.Errorf("run %d made %+v", run, filled)
		}
		found, err := verify.Run(t.Context(), s, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, difference := range found {
			t.Errorf("run %d: %+v", run, difference)
		}
	}
	again, err := db.One[int](t.Context(), s.DB, `SELECT count(*) FROM jobs WHERE kind = 'read_payments'`)
	if err != nil || again > 0 {
		t.Errorf("%d jobs read the texts of statements again, %v", again, err)
	}
	repriced(t, s, tenant)
}

// repriced applies all rules to the existing sales and checks that none changes: the generated
// prices are those that the service computes.
func repriced(t *testing.T, s *storage.Store, tenant storagetest.Tenant) {
	t.Helper()
	began := time.Now()
	all := finance.Access{AccountID: tenant.AccountID, Administrator: true, AllEntities: true}
	accounts, err := s.SaleAccounts(t.Context(), all, list.Query{})
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	for _, a := range accounts.Items {
		rules, err := s.SaleRules(t.Context(), all, a.ID, list.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rules.Items {
			apply(t, s, &rules.Items[i])
		}
		changed, err := s.Sales(t.Context(), storage.Scope{AccountID: a.AccountID, EntityID: a.EntityID}, list.Query{
			Search: map[string]string{
				"sale_account_id": fmt.Sprint(a.ID), "updated_at_gte": began.Format(time.RFC3339Nano)}, Number: 1,
			Size: 1})
		if err != nil || changed.Total > 0 {
			t.Errorf("%s: %d sales were given another price, such as %+v; %v", a.Name, changed.Total, changed.Items,
				err)
		}
		applied += len(rules.Items)
	}
	if applied < 10 {
		t.Errorf("%d rules were applied, want 10 at least", applied)
	}
}

func apply(t *testing.T, s *storage.Store, rule *finance.SaleRule) {
	t.Helper()
	for all := false; !all; {
		err := s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
			if err := tx.ApplyRule(t.Context(), rule, nil); err != nil {
				return err
			}
			all, err = pricing.Price(t.Context(), tx, rule.AccountID, rule.SaleAccountID, 20_000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFillIsTheSameBySeed(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	var sums []finance.Sum
	for _, seed := range []uint64{1, 1, 2} {
		tenant := storagetest.NewTenant(t, s)
		filled, err := demo.Fill(t.Context(), s, demo.Options{AccountID: tenant.AccountID, Sales: 200,
			Transactions: 300, Seed: seed, Today: today}, silent)
		if err != nil {
			t.Fatal(err)
		}
		banks, err := s.DepositAccounts(t.Context(), storage.Scope{
			AccountID: tenant.AccountID, EntityID: filled.EntityID}, list.Query{})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, banks.Items[0].CalculatedBalance)
	}
	if sums[0] != sums[1] || sums[1] == sums[2] {
		t.Errorf("balances of seeds 1, 1 and 2: %v", sums)
	}
}

func TestFillIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	d := demo.Options{AccountID: tenant.AccountID + 1, Sales: 10, Transactions: 10, Today: today}
	if _, err := demo.Fill(t.Context(), s, d, silent); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("of a missing account: %v, want ErrNotFound", err)
	}
	d.AccountID = tenant.AccountID
	ctx, cancel := context.WithCancel(t.Context())
	_, err := demo.Fill(ctx, s, d, func(string, int, int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	all, err := s.Entities(t.Context(), finance.Access{AccountID: tenant.AccountID, Administrator: true,
		AllEntities: true}, list.Query{})
	if err != nil || len(all.Items) != 1 {
		t.Errorf("%d entities, want the tenant's alone; %v", len(all.Items), err)
	}
}
