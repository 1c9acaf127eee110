package storage_test

import (
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// verified is a database in which all agrees: a statement with ten items in
// deposit account 1, a transfer from there to 2, transactions 11 and 12, a series
// of three parcels, payable accounts 1 to 3, reconcile 1 of the first with 11, and a
// credit card with two invoices, 1 of them due, payable account 4.
func verified(t testing.TB) importing {
	i := newImports(t)
	scope := storage.Scope{AccountID: i.into.AccountID, EntityID: i.into.EntityID}
	second := storagetest.NewDepositAccount(t, i.Store, scope).ID
	var items []imports.StagedItem
	for n := range 10 {
		items = append(items, item(1+n, 100, "", "A"))
	}
	if _, _, err := i.run(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	day, _ := finance.NewDate(2026, 3, 11)
	err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertFinancialTransactions(t.Context(), []*finance.FinancialTransaction{{
			AccountID: scope.AccountID, DepositAccountID: i.into.ID, Amount: -5, OccurredAt: day,
			TransferDepositAccountID: &second,
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	i.exec(t, `UPDATE bank_statements SET event_status = 'success', event_finished_at = now(),
		imported_items_count = 10, items_count = 10`)
	i.exec(t, `
		INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'payable');
		UPDATE financial_transactions SET reconcile_id = 1 WHERE id = 11;
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, recurrence_id,
			recurrence_period,
			number_of_parcels, current_parcel, status, occurred_at, total_amount, reconcile_id)
		SELECT 1, 1, 'payable', '2026-01-01', 0.05, '2026-01-01', 1, 'monthly', 3, n,
			CASE n WHEN 1 THEN 3 ELSE 1 END, CASE n WHEN 1 THEN date '2026-01-01' END, CASE n WHEN 1 THEN 0.05 END,
				CASE n WHEN 1 THEN 1 END
		FROM generate_series(1, 3) n;
		INSERT INTO credit_cards (account_id, entity_id, name, flag) VALUES (1, 1, 'c', 'Visa');
		INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date, balance,
			transactions_count)
		VALUES (1, 1, '2026-02-06', '2026-03-05', '2026-03-15', 7, 2), (1, 1, '2026-03-06', '2026-04-05', '2026-04-15',
			-3, 1);
		INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount, occurred_at)
		VALUES (1, 1, 1, 9, '2026-02-06'), (1, 1, 1, -2, '2026-03-05'), (1, 1, 2, -3, '2026-03-06');
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
			credit_card_invoice_id)
		VALUES (1, 1, 'payable', '2026-03-15', 7, '2026-03-01', 1)`)
	return i
}

func TestVerifyNamesWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	for damage, want := range map[string]verify.Difference{
		``: {},
		`INSERT INTO webhooks (account_id, entity_id, url, format, secret, deleted_at)
			VALUES (1, 1, 'https://a.example', 'json', 'x', now())`: {
			Check: "deletions", AccountID: 1, Record: "webhooks 1, deleted", Expected: "a job that removes it",
			Found: "none"},
		`UPDATE deposit_accounts SET transactions_sum = transactions_sum + 0.01 WHERE id = 1`: {
			Check: "balances", AccountID: 1, Record: "deposit account 1",
			Expected: "9.95 in 11 transactions until 2026-03-11",
			Found:    "9.96 in 11 transactions until 2026-03-11"},
		`UPDATE deposit_accounts SET last_transaction_date = last_transaction_date + 1 WHERE id = 2`: {
			Check: "balances", AccountID: 1, Record: "deposit account 2",
			Expected: "0.05 in 1 transactions until 2026-03-11",
			Found:    "0.05 in 1 transactions until 2026-03-12"},
		`UPDATE financial_accounts SET discount_amount = 8 WHERE id = 4`: {
			Check: "discounts of accounts", AccountID: 1, Record: "payable account 4",
			Expected: "nothing below zero due",
			Found:    "-1.00 due after a discount of 8.00"},
		`DELETE FROM financial_transactions WHERE id = 1`: {
			Check: "balances", AccountID: 1, Record: "deposit account 1",
			Expected: "8.95 in 10 transactions until 2026-03-11",
			Found:    "9.95 in 11 transactions until 2026-03-11"},
		`UPDATE financial_transactions SET occurred_at = '2026-03-10' WHERE id = 12; UPDATE deposit_accounts
			SET last_transaction_date = '2026-03-10' WHERE id = 2`: {
			Check: "transfers", AccountID: 1, Record: "transaction 11 of deposit account 1",
			Expected: "transaction 12 of deposit account 2: 0.05 on 2026-03-11, the other side of 11",
			Found:    "of deposit account 2: 0.05 on 2026-03-10, the other side of 11"},
		`UPDATE financial_transactions SET transfer_id = NULL, transfer_deposit_account_id = NULL WHERE id = 12`: {
			Check: "transfers", AccountID: 1, Record: "transaction 11 of deposit account 1",
			Expected: "transaction 12 of deposit account 2: 0.05 on 2026-03-11, the other side of 11",
			Found:    "of deposit account 2: 0.05 on 2026-03-11, the other side of none"},
		pairOfOne + `UPDATE financial_transactions SET amount = 0.99 WHERE id = 1; UPDATE deposit_accounts
			SET transactions_sum = 9.94 WHERE id = 1`: {
			Check: "pairs", AccountID: 1, Record: "transfer 1",
			Expected: "transactions 13 and 1: sides of it in two deposit accounts of entity 1, " +
				"of opposite amounts, not reconciled",
			Found: "-1.00 in deposit account 2, pair 1, other side 1, " +
				"0.99 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `UPDATE financial_transactions SET pair_id = NULL, transfer_id = NULL,
			transfer_deposit_account_id = NULL WHERE id = 13`: {
			Check: "pairs", AccountID: 1, Record: "transfer 1",
			Expected: "transactions 13 and 1: sides of it in two deposit accounts of entity 1, " +
				"of opposite amounts, not reconciled",
			Found: "-1.00 in deposit account 2, pair , other side , 1.00 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `UPDATE financial_transactions SET occurred_at = '2026-03-12'
			WHERE id = 13; UPDATE deposit_accounts SET last_transaction_date = '2026-03-12' WHERE id = 2`: {
			Check: "pairs", AccountID: 1, Record: "transfer 1",
			Expected: "transactions 13 and 1: sides of it in two deposit accounts of entity 1, " +
				"of opposite amounts, not reconciled",
			Found: "-1.00 in deposit account 2, pair 1, other side 1, " +
				"1.00 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `DELETE FROM transfers`: {
			Check: "pairs", AccountID: 1, Record: "transaction 1 of deposit account 1",
			Expected: "a side of transfer 1", Found: "not a side of it"},
		withoutCurrencies + `UPDATE financial_transactions SET currency_id = 2 WHERE id = 1`: {
			Check: "currencies of transactions", AccountID: 1, Record: "transaction 1 of deposit account 1",
			Expected: "currency 1", Found: "currency 2"},
		withoutCurrencies + `UPDATE financial_transactions SET currency_id = 2; UPDATE deposit_accounts
			SET currency_id = 2`: {
			Check: "currencies of reconciles", AccountID: 1, Record: "reconcile 1", Expected: "transactions in reais",
			Found: "transaction 11 in currency 2"},
		`UPDATE reconciles SET made_by = 'automatic', reasons = '[]'; UPDATE financial_transactions
			SET left_to_people = true WHERE id = 11`: {
			Check: "automatic reconciles", AccountID: 1, Record: "reconcile 1, made by the worker",
			Expected: "1 transaction that is not left to people, 1 account",
			Found:    "1 transactions, of which 1 are left to people, 1 accounts"},
		`INSERT INTO register_sessions (account_id, deposit_account_id, opened_at) VALUES (1, 1, now())`: {
			Check: "registers", AccountID: 1, Record: "deposit account 1, whose register is open", Expected: "type 8",
			Found: "type 1"},
		`INSERT INTO entities (account_id, name) VALUES (1,` +
			` 'b'); UPDATE deposit_accounts SET entity_id = 2 WHERE id = 2`: {
			Check: "entities of transactions", AccountID: 1, Record: "transaction 11 of deposit account 1",
			Expected: "a center and a transfer within entity 1", Found: "transfer with entity 2"},
		`INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods) VALUES (1, 1, 'c', 'cielo',
			'credit');
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			description, nominal_amount, total_amount)
			VALUES (1, 1, 1, 'credit', '2026-01-01', '2026-01-01', 'Pão', 1, 1);
		UPDATE sale_texts SET description = 'pãe'`: {
			Check: "texts of sales", AccountID: 1, Record: "sale 1", Expected: "its description and observation",
			Found: "others"},
		`DELETE FROM imported_items WHERE day < '2026-03-03'`: {
			Check: "imports", AccountID: 1, Record: "bank statement 1, success",
			Expected: "10 items remembered, as many transactions or fewer",
			Found:    "8 items remembered, 10 transactions, 10 counted"},
		`UPDATE bank_statements SET imported_items_count = 9`: {
			Check: "imports", AccountID: 1, Record: "bank statement 1, success",
			Expected: "9 items remembered, as many transactions or fewer",
			Found:    "10 items remembered, 10 transactions, 9 counted"},
		`UPDATE bank_statements SET event_status = 'error'`: {
			Check: "imports", AccountID: 1, Record: "bank statement 1, error",
			Expected: "0 items remembered, as many transactions or fewer",
			Found:    "10 items remembered, 10 transactions, 10 counted"},
		`UPDATE bank_statements SET first_item_on = '2026-03-02', last_item_on = '2026-03-10'`: {
			Check: "days of items", AccountID: 1, Record: "bank statement 1",
			Expected: "items from 2026-03-01 to 2026-03-10",
			Found:    "from 2026-03-02 to 2026-03-10"},
		`INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome) VALUES (1, 1, 11, 1,
			'', 'zero')`: {
			Check: "items of imports", AccountID: 1, Record: "bank statement 1",
			Expected: "of 10 items 10 imported and ignored: 0 future, 0 zero, 0 invalid_date, 0 pending, 0 balance, " +
				"0 duplicate, 0 other_account",
			Found: "ignored: 0 future, 1 zero, 0 invalid_date, 0 pending, 0 balance, 0 duplicate, 0 other_account"},
		`INSERT INTO previewed_items (account_id, bank_statement_id, number, line, mark, outcome)
			VALUES (1, 1, 1, 1, '', 'duplicate')`: {
			Check: "items of previews", AccountID: 1, Record: "bank statement 1, success", Expected: "none",
			Found: "1 items: 0 imported, 1 duplicate"},
		`INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status,
			event_finished_at, imported_items_count, items_count, preview_until) VALUES (1, 1, 'k', 'k', 'x', 1,
				'previewed', now(), 1, 1, now())`: {
			Check: "items of previews", AccountID: 1, Record: "bank statement 2, previewed",
			Expected: "1 items: 1 imported, 0 duplicate",
			Found:    "0 items: 0 imported, 0 duplicate"},
		`UPDATE imported_items SET financial_transaction_id = 11 WHERE number = 1`: {
			Check: "transactions of items", AccountID: 1, Record: "item 1 of bank statement 1",
			Expected: "a transaction of deposit account 1 that bank statement 1 brought",
			Found:    "transaction 11 of deposit account 1, brought by none"},
		`UPDATE bank_statements SET deleted_at = now()`: {
			Check: "deletions of imports", AccountID: 1, Record: "bank statement 1, deleted",
			Expected: "a job that undoes it", Found: "none"},
		`UPDATE account_usage SET file_bytes = file_bytes + 1`: {
			Check: "usage of accounts", AccountID: 1, Record: "account 1",
			Expected: "0 bytes of files, 10 rows of statements", Found: "1 bytes of files, 10 rows of statements"},
		`UPDATE bank_statements SET deposit_account_id = 2`: {
			Check: "accounts of imports", AccountID: 1, Record: "transaction 1 of deposit account 1",
			Expected: "a bank statement of deposit account 1",
			Found:    "bank statement 1 of deposit account 2"},
		`UPDATE bank_statements SET event_finished_at = NULL`: {
			Check: "jobs of imports", AccountID: 1, Record: "bank statement 1, success", Expected: "an end and no job",
			Found: "0 jobs, ended at none"},
		`UPDATE bank_statements SET event_status = 'queued', event_finished_at = NULL, imported_items_count = 0,
			items_count = NULL; DELETE FROM imported_items;
			UPDATE financial_transactions SET bank_statement_id = NULL`: {
			Check: "jobs of imports", AccountID: 1, Record: "bank statement 1, queued", Expected: "one job and no end",
			Found: "0 jobs, ended at none"},
		`UPDATE bank_statements SET event_finished_at = NULL; INSERT INTO jobs (kind, queue, args)
			VALUES ('import_statement', 'x', '{"bank_statement_id": 1}')`: {
			Check: "jobs of imports", AccountID: 1, Record: "bank statement 1, success", Expected: "an end and no job",
			Found: "1 jobs, ended at none"},
		`INSERT INTO categories (id, account_id, name, full_name, revenue, cost) VALUES (1001, 1, 'A', 'A', true, true);
			INSERT INTO categories (id, account_id, parent_id, name, full_name, revenue, cost) VALUES (1002, 1, 1001,
				'B', 'C / B', true, true)`: {
			Check: "full names of categories", AccountID: 1, Record: "category 1002", Expected: "A / B",
			Found: "C / B"},
		`INSERT INTO categories (id, account_id, name, full_name, revenue, cost, deleted_at) VALUES (1001, 1, 'A', 'A',
			true, true, now());
			INSERT INTO categories (id, account_id, parent_id, name, full_name, revenue, cost) VALUES (1002, 1, 1001,
				'B', 'A / B', true, true)`: {
			Check: "trees of categories", AccountID: 1, Record: "category 1002",
			Expected: "a parent that is there, or deleted with it",
			Found:    "category 1001, deleted"},
		`UPDATE financial_accounts SET current_parcel = 2 WHERE id = 3`: {
			Check: "series", AccountID: 1, Record: "payable account 3",
			Expected: "parcel 3 of 3 in the monthly series 1 of payable accounts of entity 1",
			Found:    "parcel 2 of 3 in a monthly series of payable accounts of entity 1"},
		`DELETE FROM financial_accounts WHERE id = 1; UPDATE financial_transactions SET reconcile_id = NULL; DELETE
			FROM reconciles; UPDATE financial_accounts SET kind = 'receivable' WHERE id = 3`: {
			Check: "series", AccountID: 1, Record: "receivable account 3",
			Expected: "parcel 3 of 3 in the monthly series 1 of payable accounts of entity 1",
			Found:    "parcel 3 of 3 in a monthly series of receivable accounts of entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); UPDATE financial_accounts SET classification_center_id = 1,
				expected_deposit_account_id = 1 WHERE id = 2`: {
			Check: "entities of payable and receivable accounts", AccountID: 1, Record: "payable account 2",
			Expected: "a center and a deposit account of entity 1",
			Found:    "center of entity 2, deposit account of entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); INSERT INTO reconciliation_rules (account_id, entity_id, name, position,
				new_account, match, classification_center_id,
			deposit_account_id) VALUES (1, 1, 'r', 1, true, false, 1, 1)`: {
			Check: "reconciliation rules", AccountID: 1, Record: "reconciliation rule 1",
			Expected: "a center and a deposit account of entity 1",
			Found:    "center of entity 2, deposit account of entity 1"},
		`INSERT INTO reconciliation_rules (account_id, entity_id, name, position, new_account, match) SELECT 1, 1, 'r',
			n, true, false FROM generate_series(1, 101) n`: {
			Check: "reconciliation rules", AccountID: 1, Record: "entity 1",
			Expected: "at most 100 reconciliation rules", Found: "101"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center) VALUES (1, 2, 'c', true, true);
			INSERT INTO budgets (account_id, entity_id, month, category_id, classification_center_id, amount)
			VALUES (1, 1, '2026-01-01', 1, 1, 1)`: {
			Check: "entities of budgets", AccountID: 1, Record: "budget 1",
			Expected: "a center of entity 1", Found: "center of entity 2"},
		`UPDATE financial_accounts SET total_amount = 0.06 WHERE id = 1`: {
			Check: "sums of reconciles", AccountID: 1, Record: "reconcile 1",
			Expected: "accounts and transactions of the same sum",
			Found:    "accounts of 0.06, transactions of 0.05"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b');
		INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
			attachment_file_size)
			VALUES (1, 2, 'k', 'a', 'a/b', 1);
		INSERT INTO financial_account_attachments VALUES (1, 2, 1)`: {
			Check: "entities of attachments", AccountID: 1, Record: "attachment 1", Expected: "a record of entity 2",
			Found: "payable account 2 of entity 1"},
		`INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'payable')`: {
			Check: "sums of reconciles", AccountID: 1, Record: "reconcile 2",
			Expected: "accounts and transactions of the same sum",
			Found:    "accounts of 0, transactions of 0"},
		`UPDATE reconciles SET month = '2026-04-01'`: {
			Check: "months of reconciles", AccountID: 1, Record: "reconcile 1",
			Expected: "transactions of 2026-04 alone", Found: "transaction 11 of 2026-03-11"},
		`UPDATE reconciles SET kind = 'receivable'`: {
			Check: "members of reconciles", AccountID: 1, Record: "payable account 1",
			Expected: "a receivable one of entity 1, as reconcile 1",
			Found:    "a payable one of entity 1"},
		`UPDATE financial_transactions SET reconcile_id = NULL WHERE id = 11; UPDATE financial_transactions
			SET reconcile_id = 1 WHERE id = 12`: {
			Check: "members of reconciles", AccountID: 1, Record: "transaction 12 of deposit account 2",
			Expected: "a Debit of entity 1, as reconcile 1",
			Found:    "0.05 of entity 1"},
		`UPDATE credit_card_transactions SET amount = -2.01 WHERE id = 2`: {
			Check: "sums of credit card invoices", AccountID: 1, Record: "invoice 1 of credit card 1",
			Expected: "6.99 in 2 transactions, one at least",
			Found:    "7.00 in 2 transactions"},
		`DELETE FROM credit_card_transactions WHERE id = 3; UPDATE credit_card_invoices SET balance = 0,
			transactions_count = 0 WHERE id = 2`: {
			Check: "sums of credit card invoices", AccountID: 1, Record: "invoice 2 of credit card 1",
			Expected: "0 in 0 transactions, one at least",
			Found:    "0.00 in 0 transactions"},
		`UPDATE credit_card_transactions SET occurred_at = '2026-03-06' WHERE id = 2`: {
			Check: "periods of credit card invoices", AccountID: 1, Record: "transaction 2 of credit card 1",
			Expected: "a day of invoice 1 of credit card 1, 2026-02-06 to 2026-03-05",
			Found:    "2026-03-06 of credit card 1"},
		`UPDATE credit_card_invoices SET start_date = '2026-03-05' WHERE id = 2`: {
			Check: "periods of credit card invoices", AccountID: 1, Record: "invoice 2 of credit card 1",
			Expected: "a start after 2026-03-05",
			Found:    "a start on 2026-03-05"},
		`UPDATE financial_accounts SET amount = 8 WHERE id = 4`: {
			Check: "payable accounts of credit card invoices", AccountID: 1, Record: "invoice 1 of credit card 1",
			Expected: "a payable account of 7.00 due on 2026-03-15 in entity 1",
			Found:    "payable account 4 of 8.00 due on 2026-03-15 in entity 1"},
		`INSERT INTO pending_card_days VALUES (1, 1, '2026-01-01', '2026-01-01', 5, 15)`: {
			Check: "jobs of credit cards", AccountID: 1, Record: "credit card 1",
			Expected: "a job for its pending days", Found: "none"},
		`DELETE FROM financial_accounts WHERE id = 4`: {
			Check: "payable accounts of credit card invoices", AccountID: 1, Record: "invoice 1 of credit card 1",
			Expected: "a payable account of 7.00 due on 2026-03-15 in entity 1", Found: "none"},
		`INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
			credit_card_invoice_id)
			VALUES (1, 1, 'payable', '2026-04-15', 3, '2026-04-01', 2)`: {
			Check: "payable accounts of credit card invoices", AccountID: 1, Record: "invoice 2 of credit card 1",
			Expected: "no payable account",
			Found:    "payable account 5 of 3.00 due on 2026-04-15 in entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); UPDATE credit_card_transactions SET classification_center_id = 1
				WHERE id = 2`: {
			Check: "entities of credit cards", AccountID: 1, Record: "transaction 2 of credit card 1",
			Expected: "a center of entity 1",
			Found:    "center of entity 2"},
		`UPDATE imported_items SET card = true, mark = '1/2', description = 'LOJA 1 DE 3' WHERE number = 1`: {
			Check: "marks of imported items", AccountID: 1, Record: "item 1 of bank statement 1", Expected: "1/3",
			Found: "1/2"},
	} {
		t.Run(damage, func(t *testing.T) {
			t.Parallel()
			i := verified(t)
			i.exec(t, damage)
			made := 0
			found, err := verify.Run(t.Context(), i.Store, func(string) { made++ })
			if err != nil || made != verify.Checks() {
				t.Fatalf("%d of %d checks, %v", made, verify.Checks(), err)
			}
			if damage == "" && len(found) > 0 || damage != "" && (len(found) == 0 || found[0] != want) {
				t.Errorf("found %+v, want %+v", found, want)
			}
		})
	}
}

// pairOfOne makes transaction 13 of deposit account 2, and a pair of it and 1.
const pairOfOne = `
	INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		VALUES (1, 2, -1, '2026-03-11', 1);
	UPDATE deposit_accounts SET transactions_sum = -0.95, transactions_count = 2, last_transaction_date = '2026-03-11'
		WHERE id = 2;
	INSERT INTO transfers (account_id, entity_id, debit_transaction_id, credit_transaction_id) VALUES (1, 1, 13, 1);
	UPDATE financial_transactions SET pair_id = 1, transfer_id = 14 - id,
		transfer_deposit_account_id = 3 - deposit_account_id WHERE id IN (1, 13); `

// withoutCurrencies lets transactions be as an earlier release may have left them.
const withoutCurrencies = `ALTER TABLE financial_transactions DROP CONSTRAINT financial_transactions_currency_fk; `

// None of Verify's checks sees what is written while it runs.
func TestVerifySeesOneMoment(t *testing.T) {
	t.Parallel()
	i := verified(t)
	found, err := verify.Run(t.Context(), i.Store, func(check string) {
		if check == "transfers" { // the second
			i.exec(t, `UPDATE financial_transactions SET amount = 1 WHERE id = 12`)
		}
	})
	if err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
	if found, err = verify.Run(t.Context(), i.Store, func(string) {}); err != nil || len(found) == 0 {
		t.Errorf("found nothing afterwards, %v", err)
	}
}
