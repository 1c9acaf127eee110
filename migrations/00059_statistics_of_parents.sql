-- +goose Up
-- An entity belongs to one account, and so does every other parent. Without this the planner takes the
-- two conditions for independent: among thousands of accounts it expected less than one row of an entity,
-- and a statement that names account, entity and id read all rows of the entity by one of its other
-- indexes: 400 ms of 500,000 financial accounts. Each index by account and parent has such statistics.
CREATE STATISTICS attachments_parents (dependencies) ON account_id, entity_id FROM attachments;
CREATE STATISTICS bank_statements_parents (dependencies) ON account_id, deposit_account_id FROM bank_statements;
CREATE STATISTICS classification_centers_parents (dependencies) ON account_id, entity_id FROM classification_centers;
CREATE STATISTICS credit_card_invoices_parents (dependencies) ON account_id, credit_card_id FROM credit_card_invoices;
CREATE STATISTICS credit_card_transactions_parents (dependencies) ON account_id, credit_card_id, credit_card_invoice_id FROM credit_card_transactions;
CREATE STATISTICS credit_cards_parents (dependencies) ON account_id, entity_id FROM credit_cards;
CREATE STATISTICS deliveries_parents (dependencies) ON account_id, webhook_id FROM deliveries;
CREATE STATISTICS deposit_accounts_parents (dependencies) ON account_id, entity_id FROM deposit_accounts;
CREATE STATISTICS financial_accounts_parents (dependencies) ON account_id, entity_id, sale_account_id FROM financial_accounts;
CREATE STATISTICS ignored_items_parents (dependencies) ON account_id, bank_statement_id FROM ignored_items;
CREATE STATISTICS previewed_items_parents (dependencies) ON account_id, bank_statement_id FROM previewed_items;
CREATE STATISTICS reconciles_parents (dependencies) ON account_id, entity_id FROM reconciles;
CREATE STATISTICS reconciliation_rules_parents (dependencies) ON account_id, entity_id, deposit_account_id FROM reconciliation_rules;
CREATE STATISTICS register_sessions_parents (dependencies) ON account_id, deposit_account_id FROM register_sessions;
CREATE STATISTICS sale_accounts_parents (dependencies) ON account_id, entity_id FROM sale_accounts;
CREATE STATISTICS sale_rule_applications_parents (dependencies) ON account_id, sale_account_id FROM sale_rule_applications;
CREATE STATISTICS sale_rules_parents (dependencies) ON account_id, sale_account_id FROM sale_rules;
CREATE STATISTICS sales_parents (dependencies) ON account_id, entity_id, sale_account_id FROM sales;
CREATE STATISTICS transfers_parents (dependencies) ON account_id, entity_id FROM transfers;
CREATE STATISTICS webhooks_parents (dependencies) ON account_id, entity_id FROM webhooks;

-- They are gathered at once where there are rows. Of an empty table, the planner guesses better as long
-- as it has never been analysed.
-- +goose StatementBegin
DO $$
DECLARE
  of_table record;
  filled   boolean;
BEGIN
  FOR of_table IN SELECT stxrelid::regclass AS name FROM pg_statistic_ext WHERE stxname LIKE '%\_parents' AND stxnamespace = current_schema()::regnamespace LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %s)', of_table.name) INTO filled;
    IF filled THEN
      EXECUTE format('ANALYZE %s', of_table.name);
    END IF;
  END LOOP;
END $$;
-- +goose StatementEnd
