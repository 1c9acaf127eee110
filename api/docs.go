package api

import (
	"embed"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// page is what is ours of the page of the document; the rest is Swagger UI.
//
//go:embed docs
var page embed.FS

// pagePolicy keeps the browser with us, and from scripts that are not files.
const pagePolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// document serves the OpenAPI document and its page. They need no token.
func (a *API) document(e *gin.Engine) {
	e.GET("/openapi.json", func(g *gin.Context) {
		g.Data(http.StatusOK, "application/json; charset=utf-8", openAPI())
	})
	files := http.NewServeMux()
	for path, name := range map[string]string{
		"/docs": "index.html", "/docs/{$}": "index.html", "/docs/page.js": "page.js", "/docs/page.css": "page.css",
	} {
		files.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", pagePolicy)
			http.ServeFileFS(w, r, page, "docs/"+name)
		})
	}
	files.Handle("/docs/", http.StripPrefix("/docs/", statigz.FileServer(static.FS)))
	e.GET("/docs", gin.WrapH(files))
	e.GET("/docs/*any", gin.WrapH(files))
}
