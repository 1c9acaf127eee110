package api

import (
	"bytes"
	"embed"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"
	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// page is what is ours of the page of the document; the rest is Swagger UI.
//
//go:embed docs
var page embed.FS

// pagePolicy keeps the browser with us, and from scripts that are not files.
const pagePolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// document serves the OpenAPI document and its page. They need no token. The
// document takes a second to make. That begins here, in the background; only a request
// in the first second waits for it.
func (a *API) document(e *gin.Engine) {
	go zippedOpenAPI()
	e.GET("/openapi.json", a.handle(route{needs: open, handle: (*call).sendOpenAPI}))
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

// zippedOpenAPI is the document compressed, as most clients ask for it.
var zippedOpenAPI = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(openAPI()) // a buffer takes all
	_ = w.Close()
	debug.FreeOSMemory() // some 50 MB that making it took, and that nothing takes again
	return b.Bytes()
})

func (c *call) sendOpenAPI() error {
	body := openAPI()
	if takesGzip(c.GetHeader("Accept-Encoding")) {
		c.Writer.Header().Set("Content-Encoding", "gzip")
		body = zippedOpenAPI()
	}
	return c.send(answer{status: http.StatusOK, contentType: c.format.ContentType(), body: body})
}

// takesGzip reports whether an Accept-Encoding names gzip and does not refuse it.
func takesGzip(accepted string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		coding, parameters, err := mime.ParseMediaType(part)
		if err == nil && coding == "gzip" {
			q, err := strconv.ParseFloat(parameters["q"], 64)
			return err != nil || q > 0
		}
	}
	return false
}
