package jobfaults

import (
	"fmt"
	"strings"
	"time"
)

// check compares what was done with what was wanted under the load.
func (w *harness) check(loaded time.Duration) {
	w.t.Helper()
	wanted := w.value(`SELECT count(*) FROM wanted`)
	missing := w.value(`
		SELECT count(*) FROM wanted CROSS JOIN generate_series(0, parts - 1) AS part
		WHERE NOT EXISTS (SELECT FROM effects WHERE effects.id = wanted.id AND effects.part = part.part)`)
	doubled := w.value(`SELECT count(*) - count(DISTINCT (id, part)) FROM effects`)
	unseen := w.value(`
		SELECT count(*) FROM counters
		WHERE n > 0 AND n IS DISTINCT FROM (SELECT seen FROM runs WHERE runs.key = counters.key ORDER BY ended DESC
			LIMIT 1)`)
	overlapping := w.value(`
		SELECT count(*) FROM runs a JOIN runs b ON a.key = b.key AND a.id < b.id AND a.began < b.ended
			AND b.began < a.ended`)
	unasked := w.value(
		`SELECT count(*) FROM effects WHERE NOT EXISTS (SELECT FROM wanted WHERE wanted.id = effects.id)`)
	left := w.value(`SELECT count(*) FROM jobs`)
	if missing+doubled+unseen+overlapping+unasked+left > 0 {
		w.t.Errorf("%d effects are missing, %d doubled, %d not asked for; the last state of %d keys was not seen, %d "+
			"pairs of runs of a key overlap; %d jobs are left",
			missing, doubled, unasked, unseen, overlapping, left)
	}
	if kept := int(w.kept.Load()); kept > wanted || kept == 0 {
		w.t.Errorf("%d jobs were acknowledged, %d are kept", kept, wanted)
	}
	again := w.value(`SELECT (SELECT count(*) FROM effects WHERE attempt > 1) + (SELECT count(*) FROM runs
		WHERE attempt > 1)`)
	outcomes.add(fmt.Sprintf("%s\t%d\t%.0f\t%d\t%d\t%d\t%.1fs", strings.TrimPrefix(w.t.Name(), "TestJobsOutlive"),
		wanted, float64(wanted)/loaded.Seconds(), missing+unseen, doubled+overlapping, again, w.worst().Seconds()))
}

// worst returns the longest time from a due job to its effect, without the job's own pauses. It
// ignores jobs that take longer than a lease, because they begin again.
func (w *harness) worst() time.Duration {
	w.t.Helper()
	return time.Duration(w.value(`
		SELECT coalesce(1000 * extract(epoch FROM max(late)), 0)::int FROM (
			SELECT effects.at - wanted.at - make_interval(secs => (part + 1) * pause) AS late
			FROM wanted JOIN effects USING (id) WHERE pause < 1
			UNION ALL
			SELECT (SELECT min(ended) FROM runs WHERE runs.key = wanted.key AND seen >= n) - at FROM wanted
				WHERE key IS NOT NULL
		) AS all_jobs`)) * time.Millisecond
}

// oldest lists jobs that are left.
func (w *harness) oldest() string {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), `SELECT jobs::text || ' at ' || now() FROM jobs ORDER BY due_at
		LIMIT 3`)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			return err.Error()
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		return err.Error()
	}
	return strings.Join(all, "\n")
}
