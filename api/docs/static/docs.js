// The pages are complete without this script. It fills in the token, searches while one types,
// and copies examples.
"use strict"

const main = document.querySelector("main")
const said = document.querySelector("[role=status]") // screen readers say its text when it changes

// A fragment is never sent. The token lives as long as the tab.
const given = /^#token=([\w-]+)$/.exec(location.hash)
if (given) {
  sessionStorage.setItem("token", given[1])
  history.replaceState(null, "", location.pathname + location.search)
}

// Operations had their addresses on one page before each tag had its own.
const operation = /^#\/([^/]+)\/./.exec(location.hash)
if (operation && /^\/docs\/try\/?$/.test(location.pathname)) {
  const tag = decodeURIComponent(operation[1]).toLowerCase().replaceAll(" ", "_")
  location.replace("/docs/try/" + tag + location.hash)
}

const placeholder = "SEU_TOKEN"
const places = []
const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
while (walker.nextNode()) {
  if (walker.currentNode.data.includes(placeholder)) {
    places.push({ node: walker.currentNode, text: walker.currentNode.data })
  }
}
const form = document.querySelector("form.token")
function fillIn() {
  const token = form.token.value.replace(/[^\w-]/g, "")
  sessionStorage.setItem("token", token)
  for (const { node, text } of places) {
    node.data = text.replaceAll(placeholder, token || placeholder)
  }
}
form.hidden = false
form.token.value = sessionStorage.getItem("token") || ""
form.token.addEventListener("input", fillIn)
form.addEventListener("submit", event => event.preventDefault())
fillIn()

for (const pre of main.querySelectorAll("pre:has(.language-sh)")) {
  const button = document.createElement("button")
  button.type = "button"
  button.lang = "pt-BR"
  button.textContent = "Copiar"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.querySelector("code").textContent)
    button.textContent = said.textContent = "Copiado"
    setTimeout(() => {
      button.textContent = "Copiar"
      said.textContent = ""
    }, 1500)
  })
  pre.append(button)
}

const search = document.querySelector("[type=search]")
const page = [...main.childNodes]
let asked = 0
search.addEventListener("input", async () => {
  const mine = ++asked
  const query = search.value.trim()
  let shown = page
  if (query) {
    const answer = await fetch("/docs/search?q=" + encodeURIComponent(query))
    shown = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main").childNodes
  }
  if (mine === asked) {
    main.lang = query ? "pt-BR" : document.documentElement.lang
    main.replaceChildren(...shown)
    const n = main.querySelectorAll(".found li").length
    said.textContent = !query ? "" : n === 0 ? "Nada foi encontrado" : n === 1 ? "1 resultado" : n + " resultados"
  }
})
