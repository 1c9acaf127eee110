package api

import (
	_ "embed"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/goccy/go-yaml"
	"github.com/swaggest/swgui/v5emb"
)

// OpenAPI is the document of this API, written by hand. A test holds it and the
// table of routes to the same list, and every answer in the tests to it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// openAPIJSON is the document as /openapi.json has it.
var openAPIJSON = sync.OnceValue(func() []byte {
	document, err := yaml.YAMLToJSON(OpenAPI)
	if err != nil {
		panic(err) // the document is embedded, and a test reads it
	}
	return document
})

// document serves the OpenAPI document and its page. They need no token.
func (a *API) document(e *gin.Engine) {
	e.GET("/openapi.json", func(g *gin.Context) {
		g.Data(http.StatusOK, "application/json; charset=utf-8", openAPIJSON())
	})
	page := gin.WrapH(v5emb.New("bordero", "/openapi.json", "/docs"))
	e.GET("/docs", page)
	e.GET("/docs/*any", page)
}
