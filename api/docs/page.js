// https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/
SwaggerUIBundle({
  dom_id: "#docs",
  url: "/openapi.json",
  validatorUrl: null, // it is another host's
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  defaultModelsExpandDepth: 0,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: true,
})
