// Draws a chart of a table into the element above it, with Chartist:
//
//   <div data-chart="lines"></div>   or "bars"
//   <table>…</table>
//
// The first column of the table has the labels; data-columns="4" or "2 3" chooses the columns that are drawn, or all.
// data-label is the text for a reader who does not see the chart. The row in bold is marked. Numbers are as in
// Portuguese (1.234,56). The table is folded below its chart; without this script it is all that is shown.
"use strict"

{
  // The policy of our pages forbids style attributes; charts.css has the same.
  const attr = Chartist.Svg.prototype.attr
  Chartist.Svg.prototype.attr = function (attributes, ...rest) {
    if (attributes && typeof attributes === "object") {
      const { style, ...allowed } = attributes
      return attr.call(this, allowed, ...rest)
    }
    return attr.call(this, attributes, ...rest)
  }

  const compact = new Intl.NumberFormat("pt-BR", { notation: "compact" })
  const every = n => ({ labelInterpolationFnc: (label, i) => i % n ? null : label })
  const number = text => Number(text.replace(/\./g, "").replace(",", "."))

  function draw(place) {
    const table = place.nextElementSibling
    const head = [...table.tHead.rows[0].cells].map(cell => cell.textContent)
    const rows = [...table.tBodies[0].rows]
    const columns = place.dataset.columns?.split(" ") ?? head.slice(1).map((_, i) => i + 2)
    const labels = rows.map(row => row.cells[0].textContent)
    const series = columns.map(column => rows.map(row => number(row.cells[column - 1].textContent)))
    const marked = rows.findIndex(row => row.querySelector("strong"))

    const canvas = document.createElement("div")
    canvas.className = "canvas"
    place.append(legend(columns.map(column => head[column - 1])), canvas)
    const values = [0, ...series.flat()] // lengths are compared from zero
    const options = {
      low: Math.min(...values), high: Math.max(...values), chartPadding: { top: 16, right: 28, bottom: 0, left: 0 },
      axisY: { offset: 60, labelInterpolationFnc: value => compact.format(value) },
    }
    const chart = place.dataset.chart === "bars" ?
      new Chartist.BarChart(canvas, { labels, series }, { ...options, seriesBarDistance: 14 },
        [["(max-width: 40rem)", { seriesBarDistance: 9, axisX: every(labels.length > 6 ? 3 : 1) }]]) :
      new Chartist.LineChart(canvas, { labels, series }, {
        ...options, lineSmooth: false, fullWidth: true, showArea: series.length === 1, axisX: every(7),
      })
    chart.on("draw", drawn => {
      if (drawn.type === "point" && drawn.index === marked) {
        const text = labels[marked] + ": " + rows[marked].cells[columns[0] - 1].textContent
        const anchor = marked > rows.length / 2 ? "end" : "start"
        drawn.element.addClass("marked")
        drawn.group.elem("text", { x: drawn.x, y: drawn.y - 14, "text-anchor": anchor }, "marked").text(text)
      }
    })
    chart.on("created", ({ svg }) => {
      svg.attr({ role: "img", "aria-label": place.dataset.label })
    })
    fold(table)
  }

  function legend(names) {
    const list = document.createElement("ul")
    list.className = "legend"
    list.append(...names.map(name => {
      const item = document.createElement("li")
      item.textContent = name
      return item
    }))
    return list
  }

  function fold(table) {
    const details = document.createElement("details")
    const summary = document.createElement("summary")
    summary.textContent = "Os números"
    table.replaceWith(details)
    details.append(summary, table)
  }

  document.querySelectorAll("[data-chart]").forEach(draw)
}
