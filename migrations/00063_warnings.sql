-- +goose Up
-- accept has the codes of warnings with which a file may be imported, and event_warnings what its import or
-- preview warns of. The release before knows neither: it imports what this one refuses, without warnings.
ALTER TABLE bank_statements
  ADD COLUMN accept jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN event_warnings jsonb NOT NULL DEFAULT '[]';
