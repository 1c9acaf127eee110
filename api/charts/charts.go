// Package charts has the files with which pages draw charts from their tables: Chartist, unchanged, a script and a
// style. It is apart from api/docs because no file of it knows the documentation: every page of this host may use it.
//
// A page has a table of figures, below an empty element whose data-chart is lines or bars; charts.js documents
// the rest. The table is complete without them.
package charts

import "embed"

// Files are the script and style of charts, the library that they need, and its licence. chartist.js is
// dist/index.umd.js of the npm package chartist 1.5.0; LICENSE-CHARTIST is its LICENSE-MIT.
//
//go:embed charts.js charts.css chartist.js LICENSE-CHARTIST
var Files embed.FS
