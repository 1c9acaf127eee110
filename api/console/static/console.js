// Spares a person some typing and reloading. All pages work without it.
"use strict"

{
  // The link of a login has the code after its #, which no server sees. The person sends it: the link of a stranger must
  // not log anybody in to the stranger's account without a question. A link that differs from the page only in its code
  // loads no page.
  function fillIn() {
    const secret = document.querySelector("form[action='/console/login'] [name=secret]")
    const code = location.hash.slice(1)
    if (!secret || !/^([0-9a-f]{32}|[0-9a-f]{48})$/.test(code)) return // such as #content
    history.replaceState(null, "", location.pathname)
    secret.value = code
    secret.form.querySelector("button").focus()
  }
  fillIn()
  addEventListener("hashchange", fillIn)

  // A second click would replace the first request of the browser, whose answer alone has the secret of what was made.
  // A form that changes was stopped by the person, and 15 s are longer than any answer with a secret takes.
  let sent = new WeakMap()
  addEventListener("submit", event => {
    const form = event.target
    if (!form.elements.key) return // the form may be sent twice
    if (Date.now() < (sent.get(form) ?? 0) + 15000) event.preventDefault()
    else sent.set(form, Date.now())
  })
  addEventListener("input", event => sent.delete(event.target.form))
  addEventListener("pageshow", () => { sent = new WeakMap() }) // also of a page to which the browser goes back

  // The parts of a page that wait for work in the background are read again until none waits.
  async function renew() {
    const answer = await fetch(location.href)
    // The session or the record is gone, or this page is the answer to a form: its address leads to another page.
    if (answer.redirected || answer.status === 403 || answer.status === 404) return location.replace(answer.url)
    if (!answer.ok) return watch() // refused for a while
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    for (const part of document.querySelectorAll("[data-part]")) {
      const now = page.getElementById(part.id)
      part.toggleAttribute("data-waits", now?.hasAttribute("data-waits") ?? false)
      if (now && now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes)
    }
    watch()
  }
  function watch() {
    if (document.querySelector("[data-waits]")) setTimeout(() => renew().catch(watch), 1500)
  }
  watch()
}
