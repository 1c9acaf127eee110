-- +goose Up
-- 0.3.0 accepted a quota of no exports. Reports count as exports since, and each would be refused for ever.
UPDATE account_quotas SET exports = 1 WHERE exports = 0;
