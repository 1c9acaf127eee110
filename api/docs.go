package api

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"bordero/api/openapi"
	"bordero/internal/wire"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzip"
	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// pagePolicy allows only our own host and no inline scripts.
const pagePolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocument serves the OpenAPI document and its page, which need no token. Rendering the document
// takes a second and starts here, in the background; a request during that second waits for it.
func (a *API) serveDocument(e *gin.Engine) {
	go documentOf(a.PublicURL).zipped()
	e.GET("/", a.handle(route{needs: open, handle: a.showService}))
	e.GET("/openapi.json", a.handle(route{needs: open, handle: (*call).sendOpenAPI}))
	files := http.NewServeMux()
	for path, name := range map[string]string{
		"/docs": "index.html", "/docs/{$}": "index.html", "/docs/page.js": "page.js", "/docs/page.css": "page.css",
		"/docs/errors.css": "errors.css",
	} {
		files.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", pagePolicy)
			http.ServeFileFS(w, r, openapi.Page(), name)
		})
	}
	errors := openapi.Errors(a.PublicURL, a.exampleProblem())
	files.HandleFunc("/docs/errors", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(errors) // fails only if the client has gone
	})
	files.Handle("/docs/", http.StripPrefix("/docs/", statigz.FileServer(static.FS)))
	e.GET("/docs", gin.WrapH(files))
	e.GET("/docs/*any", gin.WrapH(files))
}

// showService answers GET /: a browser is sent to the documentation, a program, or a path with a
// suffix, receives the name and version of the service and its first links.
func (a *API) showService(c *call) error {
	if !c.suffixed && strings.Contains(c.GetHeader("Accept"), "text/html") {
		return c.send(answer{status: http.StatusSeeOther, location: c.url("/docs")})
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Document(func() {
			w.String("name", "bordero")
			w.String("version", a.Version)
			c.links(w, link{"docs", "get", "/docs"}, link{"openapi", "get", "/openapi.json"}, link{"errors", "get", "/docs/errors"}, link{"accounts", "get", "/accounts"})
		})
	}))
}

// document is the OpenAPI document as it is served. Both forms are made once.
type document struct{ plain, zipped func() []byte }

// documents has the documents of this process by public URL.
var documents sync.Map

// documentOf returns the document of the API at a URL.
func documentOf(url string) document {
	if d, ok := documents.Load(url); ok {
		return d.(document)
	}
	plain := sync.OnceValue(func() []byte {
		return openapi.Document(cmp.Or(url, "/"), records(), fieldsOf(commonFields, classificationFields))
	})
	zipped := sync.OnceValue(func() []byte { return zip(plain()) })
	d, _ := documents.LoadOrStore(url, document{plain, zipped})
	return d.(document)
}

// zip compresses a document, as most clients request it.
func zip(plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(plain) // a buffer never fails
	_ = w.Close()
	debug.FreeOSMemory() // rendering took some 50 MB that nothing needs again
	return b.Bytes()
}

func (c *call) sendOpenAPI() error {
	d := documentOf(c.api.PublicURL)
	body := d.plain()
	if takesGzip(c.GetHeader("Accept-Encoding")) {
		c.Writer.Header().Set("Content-Encoding", "gzip")
		body = d.zipped()
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
