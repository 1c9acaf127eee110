// https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/
"use strict"

// A fragment is never sent. The token is that of the other pages too.
const given = /^#token=([\w-]+)$/.exec(location.hash)
if (given) {
  sessionStorage.setItem("token", given[1])
  history.replaceState(null, "", location.pathname)
}

const tag = location.pathname.split("/").filter(Boolean).pop()
const ui = SwaggerUIBundle({
  dom_id: "#docs",
  url: "/docs/try/" + tag + ".json",
  validatorUrl: null, // the default sends the document to another host
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  onComplete: () => {
    const token = sessionStorage.getItem("token")
    if (token) { // as the dialog does: preauthorizeApiKey converts the schema, which persistAuthorization cannot read
      const schema = ui.specSelectors.specJson().getIn(["components", "securitySchemes", "bearer"])
      ui.authActions.authorize({ bearer: { name: "bearer", schema, value: token } })
    }
  },
})
