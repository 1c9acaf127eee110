-- +goose Up
-- When a process marked the file store as this installation's: only the first one does.
ALTER TABLE installation ADD files_marked_at timestamptz;
