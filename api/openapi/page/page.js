// https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/
SwaggerUIBundle({
  dom_id: "#docs",
  url: "/openapi.json",
  validatorUrl: null, // the default sends the document to another host
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  defaultModelsExpandDepth: 0,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: true,
})
