-- $1 = keys
SELECT k FROM unnest($1::text[]) k WHERE NOT EXISTS (SELECT FROM stored_files WHERE key = k)
