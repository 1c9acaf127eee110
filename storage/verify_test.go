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
		return tx.InsertFinancialTransaction(t.Context(), &finance.FinancialTransaction{
			AccountID: scope.AccountID, DepositAccountID: i.into.ID, Amount: -5, OccurredAt: day,
			TransferDepositAccountID: &second,
		})
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
			"deletions", 1, "webhooks 1, deleted", "a job that removes it", "none"},
		`UPDATE deposit_accounts SET transactions_sum = transactions_sum + 0.01 WHERE id = 1`: {
			"balances", 1, "deposit account 1", "9.95 in 11 transactions until 2026-03-11",
			"9.96 in 11 transactions until 2026-03-11"},
		`UPDATE deposit_accounts SET last_transaction_date = last_transaction_date + 1 WHERE id = 2`: {
			"balances", 1, "deposit account 2", "0.05 in 1 transactions until 2026-03-11",
			"0.05 in 1 transactions until 2026-03-12"},
		`UPDATE financial_accounts SET discount_amount = 8 WHERE id = 4`: {
			"discounts of accounts", 1, "payable account 4", "nothing below zero due",
			"-1.00 due after a discount of 8.00"},
		`DELETE FROM financial_transactions WHERE id = 1`: {
			"balances", 1, "deposit account 1", "8.95 in 10 transactions until 2026-03-11",
			"9.95 in 11 transactions until 2026-03-11"},
		`UPDATE financial_transactions SET occurred_at = '2026-03-10' WHERE id = 12; UPDATE deposit_accounts
			SET last_transaction_date = '2026-03-10' WHERE id = 2`: {
			"transfers", 1, "transaction 11 of deposit account 1",
			"transaction 12 of deposit account 2: 0.05 on 2026-03-11, the other side of 11",
			"of deposit account 2: 0.05 on 2026-03-10, the other side of 11"},
		`UPDATE financial_transactions SET transfer_id = NULL, transfer_deposit_account_id = NULL WHERE id = 12`: {
			"transfers", 1, "transaction 11 of deposit account 1",
			"transaction 12 of deposit account 2: 0.05 on 2026-03-11, the other side of 11",
			"of deposit account 2: 0.05 on 2026-03-11, the other side of none"},
		pairOfOne + `UPDATE financial_transactions SET amount = 0.99 WHERE id = 1; UPDATE deposit_accounts
			SET transactions_sum = 9.94 WHERE id = 1`: {
			"pairs", 1, "transfer 1",
			"transactions 13 and 1: sides of it in two deposit accounts of entity 1, of opposite amounts, not " +
				"reconciled",
			"-1.00 in deposit account 2, pair 1, other side 1, 0.99 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `UPDATE financial_transactions SET pair_id = NULL, transfer_id = NULL,
			transfer_deposit_account_id = NULL WHERE id = 13`: {
			"pairs", 1, "transfer 1",
			"transactions 13 and 1: sides of it in two deposit accounts of entity 1, of opposite amounts, not " +
				"reconciled",
			"-1.00 in deposit account 2, pair , other side , 1.00 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `UPDATE financial_transactions SET occurred_at = '2026-03-12'
			WHERE id = 13; UPDATE deposit_accounts SET last_transaction_date = '2026-03-12' WHERE id = 2`: {
			"pairs", 1, "transfer 1",
			"transactions 13 and 1: sides of it in two deposit accounts of entity 1, of opposite amounts, not " +
				"reconciled",
			"-1.00 in deposit account 2, pair 1, other side 1, 1.00 in deposit account 1, pair 1, other side 13"},
		pairOfOne + `DELETE FROM transfers`: {
			"pairs", 1, "transaction 1 of deposit account 1", "a side of transfer 1", "not a side of it"},
		withoutCurrencies + `UPDATE financial_transactions SET currency_id = 2 WHERE id = 1`: {
			"currencies of transactions", 1, "transaction 1 of deposit account 1", "currency 1", "currency 2"},
		withoutCurrencies + `UPDATE financial_transactions SET currency_id = 2; UPDATE deposit_accounts
			SET currency_id = 2`: {
			"currencies of reconciles", 1, "reconcile 1", "transactions in reais", "transaction 11 in currency 2"},
		`UPDATE reconciles SET made_by = 'automatic', reasons = '[]'; UPDATE financial_transactions
			SET left_to_people = true WHERE id = 11`: {
			"automatic reconciles", 1, "reconcile 1, made by the worker",
			"1 transaction that is not left to people, 1 account",
			"1 transactions, of which 1 are left to people, 1 accounts"},
		`INSERT INTO register_sessions (account_id, deposit_account_id, opened_at) VALUES (1, 1, now())`: {
			"registers", 1, "deposit account 1, whose register is open", "type 8", "type 1"},
		`INSERT INTO entities (account_id, name) VALUES (1,` +
			` 'b'); UPDATE deposit_accounts SET entity_id = 2 WHERE id = 2`: {
			"entities of transactions", 1, "transaction 11 of deposit account 1",
			"a center and a transfer within entity 1", "transfer with entity 2"},
		`INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods) VALUES (1, 1, 'c', 'cielo',
			'credit');
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			description, nominal_amount, total_amount)
			VALUES (1, 1, 1, 'credit', '2026-01-01', '2026-01-01', 'Pão', 1, 1);
		UPDATE sale_texts SET description = 'pãe'`: {
			"texts of sales", 1, "sale 1", "its description and observation", "others"},
		`DELETE FROM imported_items WHERE day < '2026-03-03'`: {
			"imports", 1, "bank statement 1, success", "10 items remembered, as many transactions or fewer",
			"8 items remembered, 10 transactions, 10 counted"},
		`UPDATE bank_statements SET imported_items_count = 9`: {
			"imports", 1, "bank statement 1, success", "9 items remembered, as many transactions or fewer",
			"10 items remembered, 10 transactions, 9 counted"},
		`UPDATE bank_statements SET event_status = 'error'`: {
			"imports", 1, "bank statement 1, error", "0 items remembered, as many transactions or fewer",
			"10 items remembered, 10 transactions, 10 counted"},
		`UPDATE bank_statements SET first_item_on = '2026-03-02', last_item_on = '2026-03-10'`: {
			"days of items", 1, "bank statement 1", "items from 2026-03-01 to 2026-03-10",
			"from 2026-03-02 to 2026-03-10"},
		`INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome) VALUES (1, 1, 11, 1,
			'', 'zero')`: {
			"items of imports", 1, "bank statement 1",
			"of 10 items 10 imported and ignored: 0 future, 0 zero, 0 invalid_date, 0 balance, 0 duplicate, 0 " +
				"other_account",
			"ignored: 0 future, 1 zero, 0 invalid_date, 0 balance, 0 duplicate, 0 other_account"},
		`INSERT INTO previewed_items (account_id, bank_statement_id, number, line, mark, outcome)
			VALUES (1, 1, 1, 1, '', 'duplicate')`: {
			"items of previews", 1, "bank statement 1, success", "none", "1 items: 0 imported, 1 duplicate"},
		`INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status,
			event_finished_at, imported_items_count, items_count, preview_until) VALUES (1, 1, 'k', 'k', 'x', 1,
				'previewed', now(), 1, 1, now())`: {
			"items of previews", 1, "bank statement 2, previewed", "1 items: 1 imported, 0 duplicate",
			"0 items: 0 imported, 0 duplicate"},
		`UPDATE imported_items SET financial_transaction_id = 11 WHERE number = 1`: {
			"transactions of items", 1, "item 1 of bank statement 1",
			"a transaction of deposit account 1 that bank statement 1 brought",
			"transaction 11 of deposit account 1, brought by none"},
		`UPDATE bank_statements SET deleted_at = now()`: {
			"deletions of imports", 1, "bank statement 1, deleted", "a job that undoes it", "none"},
		`UPDATE bank_statements SET deposit_account_id = 2`: {
			"accounts of imports", 1, "transaction 1 of deposit account 1", "a bank statement of deposit account 1",
			"bank statement 1 of deposit account 2"},
		`UPDATE bank_statements SET event_finished_at = NULL`: {
			"jobs of imports", 1, "bank statement 1, success", "an end and no job", "0 jobs, ended at none"},
		`UPDATE bank_statements SET event_status = 'queued', event_finished_at = NULL, imported_items_count = 0,
			items_count = NULL; DELETE FROM imported_items;
			UPDATE financial_transactions SET bank_statement_id = NULL`: {
			"jobs of imports", 1, "bank statement 1, queued", "one job and no end", "0 jobs, ended at none"},
		`UPDATE bank_statements SET event_finished_at = NULL; INSERT INTO jobs (kind, queue, args)
			VALUES ('import_statement', 'x', '{"bank_statement_id": 1}')`: {
			"jobs of imports", 1, "bank statement 1, success", "an end and no job", "1 jobs, ended at none"},
		`INSERT INTO categories (id, account_id, name, full_name, revenue, cost) VALUES (1001, 1, 'A', 'A', true, true);
			INSERT INTO categories (id, account_id, parent_id, name, full_name, revenue, cost) VALUES (1002, 1, 1001,
				'B', 'C / B', true, true)`: {
			"full names of categories", 1, "category 1002", "A / B", "C / B"},
		`INSERT INTO categories (id, account_id, name, full_name, revenue, cost, deleted_at) VALUES (1001, 1, 'A', 'A',
			true, true, now());
			INSERT INTO categories (id, account_id, parent_id, name, full_name, revenue, cost) VALUES (1002, 1, 1001,
				'B', 'A / B', true, true)`: {
			"trees of categories", 1, "category 1002", "a parent that is there, or deleted with it",
			"category 1001, deleted"},
		`UPDATE financial_accounts SET current_parcel = 2 WHERE id = 3`: {
			"series", 1, "payable account 3", "parcel 3 of 3 in the monthly series 1 of payable accounts of entity 1",
			"parcel 2 of 3 in a monthly series of payable accounts of entity 1"},
		`DELETE FROM financial_accounts WHERE id = 1; UPDATE financial_transactions SET reconcile_id = NULL; DELETE
			FROM reconciles; UPDATE financial_accounts SET kind = 'receivable' WHERE id = 3`: {
			"series", 1, "receivable account 3",
			"parcel 3 of 3 in the monthly series 1 of payable accounts of entity 1",
			"parcel 3 of 3 in a monthly series of receivable accounts of entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); UPDATE financial_accounts SET classification_center_id = 1,
				expected_deposit_account_id = 1 WHERE id = 2`: {
			"entities of payable and receivable accounts", 1, "payable account 2",
			"a center and a deposit account of entity 1",
			"center of entity 2, deposit account of entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); INSERT INTO reconciliation_rules (account_id, entity_id, name, position,
				new_account, match, classification_center_id,
			deposit_account_id) VALUES (1, 1, 'r', 1, true, false, 1, 1)`: {
			"reconciliation rules", 1, "reconciliation rule 1", "a center and a deposit account of entity 1",
			"center of entity 2, deposit account of entity 1"},
		`INSERT INTO reconciliation_rules (account_id, entity_id, name, position, new_account, match) SELECT 1, 1, 'r',
			n, true, false FROM generate_series(1, 101) n`: {
			"reconciliation rules", 1, "entity 1", "at most 100 reconciliation rules", "101"},
		`UPDATE financial_accounts SET total_amount = 0.06 WHERE id = 1`: {
			"sums of reconciles", 1, "reconcile 1", "accounts and transactions of the same sum",
			"accounts of 0.06, transactions of 0.05"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b');
		INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
			attachment_file_size)
			VALUES (1, 2, 'k', 'a', 'a/b', 1);
		INSERT INTO financial_account_attachments VALUES (1, 2, 1)`: {
			"entities of attachments", 1, "attachment 1", "a record of entity 2", "payable account 2 of entity 1"},
		`INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'payable')`: {
			"sums of reconciles", 1, "reconcile 2", "accounts and transactions of the same sum",
			"accounts of 0, transactions of 0"},
		`UPDATE reconciles SET kind = 'receivable'`: {
			"members of reconciles", 1, "payable account 1", "a receivable one of entity 1, as reconcile 1",
			"a payable one of entity 1"},
		`UPDATE financial_transactions SET reconcile_id = NULL WHERE id = 11; UPDATE financial_transactions
			SET reconcile_id = 1 WHERE id = 12`: {
			"members of reconciles", 1, "transaction 12 of deposit account 2", "a Debit of entity 1, as reconcile 1",
			"0.05 of entity 1"},
		`UPDATE credit_card_transactions SET amount = -2.01 WHERE id = 2`: {
			"sums of credit card invoices", 1, "invoice 1 of credit card 1", "6.99 in 2 transactions, one at least",
			"7.00 in 2 transactions"},
		`DELETE FROM credit_card_transactions WHERE id = 3; UPDATE credit_card_invoices SET balance = 0,
			transactions_count = 0 WHERE id = 2`: {
			"sums of credit card invoices", 1, "invoice 2 of credit card 1", "0 in 0 transactions, one at least",
			"0.00 in 0 transactions"},
		`UPDATE credit_card_transactions SET occurred_at = '2026-03-06' WHERE id = 2`: {
			"periods of credit card invoices", 1, "transaction 2 of credit card 1",
			"a day of invoice 1 of credit card 1, 2026-02-06 to 2026-03-05",
			"2026-03-06 of credit card 1"},
		`UPDATE credit_card_invoices SET start_date = '2026-03-05' WHERE id = 2`: {
			"periods of credit card invoices", 1, "invoice 2 of credit card 1", "a start after 2026-03-05",
			"a start on 2026-03-05"},
		`UPDATE financial_accounts SET amount = 8 WHERE id = 4`: {
			"payable accounts of credit card invoices", 1, "invoice 1 of credit card 1",
			"a payable account of 7.00 due on 2026-03-15 in entity 1",
			"payable account 4 of 8.00 due on 2026-03-15 in entity 1"},
		`DELETE FROM financial_accounts WHERE id = 4`: {
			"payable accounts of credit card invoices", 1, "invoice 1 of credit card 1",
			"a payable account of 7.00 due on 2026-03-15 in entity 1", "none"},
		`INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
			credit_card_invoice_id)
			VALUES (1, 1, 'payable', '2026-04-15', 3, '2026-04-01', 2)`: {
			"payable accounts of credit card invoices", 1, "invoice 2 of credit card 1", "no payable account",
			"payable account 5 of 3.00 due on 2026-04-15 in entity 1"},
		`INSERT INTO entities (account_id, name) VALUES (1, 'b'); INSERT INTO classification_centers (account_id,
			entity_id, name, cost_center, revenue_center)
			VALUES (1, 2, 'c', true, true); UPDATE credit_card_transactions SET classification_center_id = 1
				WHERE id = 2`: {
			"entities of credit cards", 1, "transaction 2 of credit card 1", "a center of entity 1",
			"center of entity 2"},
		`UPDATE imported_items SET card = true, mark = '1/2', description = 'LOJA 1 DE 3' WHERE number = 1`: {
			"marks of imported items", 1, "item 1 of bank statement 1", "1/3", "1/2"},
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
