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

	"bordero/api/docs"
	"bordero/api/openapi"
	"bordero/internal/messages"
	"bordero/internal/wire"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// pagePolicy allows only our own host and no inline scripts and styles.
const pagePolicy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors " +
	"'none'"

// picturePolicy allows a picture the styles that make it dark or light.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

// The OpenAPI document, and the one for clients that use JSON alone.
const (
	documentPath     = "/openapi.json"
	jsonDocumentPath = documentPath + "?format=json"
)

// serveDocs serves the OpenAPI document and the pages about the API, which need no token. The first
// request renders them, which takes half a second: most processes never serve a page.
func (a *API) serveDocs(e *gin.Engine) {
	e.GET("/", a.handle(route{needs: open, handle: a.showService}))
	swagger := http.StripPrefix(docs.Root, statigz.FileServer(static.FS))
	page := a.handle(route{needs: open, handle: func(c *call) error { return c.sendPage(swagger) }})
	for _, path := range []string{documentPath, "/llms.txt", "/llms-full.txt", docs.Root, docs.Root + "/*any"} {
		e.GET(path, page)
	}
}

// showService answers GET /. A browser is redirected to the documentation. A program, or a path
// with a suffix, gets the name and version of the service and its first links.
func (a *API) showService(c *call) error {
	if !c.suffixed && strings.Contains(c.GetHeader("Accept"), "text/html") {
		return c.send(answer{status: http.StatusSeeOther, location: c.url("/docs")})
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Document(func() {
			w.String("name", "bordero")
			w.String("version", a.Version)
			c.links(w, link{"docs", "get", "/docs"}, link{"openapi", "get", documentPath},
				link{"errors", "get", "/docs/errors"}, link{"accounts", "get", "/accounts"})
		})
	}))
}

// documentation has the files that need no token.
type documentation struct {
	*docs.Site
	zipped map[string]func() []byte // by path; compresses once
	tags   map[string]func() []byte // the documents of tags, by path; each is made once
}

// documentations has a function for each public URL, which renders once.
var documentations sync.Map

// documentation returns the documentation of the API at its URL.
func (a *API) documentation() documentation { return documentationOf(a.PublicURL) }

func documentationOf(url string) documentation {
	render := sync.OnceValue(func() documentation {
		document := openapi.New(cmp.Or(url, "/"), records(), fieldsOf(commonFields, classificationFields))
		d := documentation{docs.New(url, exampleProblem(url), document.Reference(), document.JSON()),
			map[string]func() []byte{}, map[string]func() []byte{}}
		d.Files[jsonDocumentPath] = docs.File{Type: d.Files[documentPath].Type, Content: document.WithoutXML().JSON()}
		for _, tag := range d.Tried {
			d.tags[docs.Root+"/try/"+tag+".json"] = sync.OnceValue(func() []byte {
				return openapi.OfTag(d.Files[documentPath].Content, tag)
			})
		}
		for path, file := range d.Files {
			d.zipped[path] = sync.OnceValue(func() []byte { return zip(file.Content) })
		}
		for path, document := range d.tags {
			d.zipped[path] = sync.OnceValue(func() []byte { return zip(document()) })
		}
		debug.FreeOSMemory() // rendering took some 50 MB that nothing needs again
		return d
	})
	once, _ := documentations.LoadOrStore(url, render)
	return once.(func() documentation)()
}

// zip compresses a file, as most clients request it.
func zip(plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(plain) // a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

// sendPage answers with a file of the documentation or of Swagger UI, or with the results of a
// search.
func (c *call) sendPage(swagger http.Handler) error {
	path, policy := strings.TrimSuffix(c.Request.URL.Path, "/"), pagePolicy
	if path == documentPath && c.Query("format") == "json" {
		path = jsonDocumentPath
	}
	if strings.HasSuffix(path, ".svg") {
		policy = picturePolicy
	}
	c.Writer.Header().Set("Content-Security-Policy", policy)
	d := c.api.documentation()
	file, ok := d.Files[path]
	switch name := strings.TrimPrefix(path, docs.Root+"/"); {
	case ok:
	case d.tags[path] != nil:
		file = docs.File{Type: d.Files[documentPath].Type, Content: d.tags[path]()}
	case name == "search":
		file = d.Search(c.Query("q"))
	case name == "swagger-ui-bundle.js", name == "swagger-ui.css", name == "favicon-32x32.png":
		swagger.ServeHTTP(c.Writer, c.Request)
		return nil
	default:
		return messages.NoRoute
	}
	switch zipped := d.zipped[path]; {
	case zipped == nil:
	case takesGzip(c.GetHeader("Accept-Encoding")):
		c.Writer.Header().Set("Content-Encoding", "gzip")
		file.Content = zipped()
	default:
		c.Writer.Header().Set(gzhttp.HeaderNoCompression, "1") // gzhttp may take the header for one with gzip
	}
	return c.send(answer{status: http.StatusOK, contentType: file.Type, body: file.Content})
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
