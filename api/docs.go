package api

import (
	"bytes"
	"cmp"
	"io"
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
// request renders them, which takes about a second: most processes never serve a page.
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
	*docs.Site                          // without its files
	files      map[string]packed        // by path
	tags       map[string]func() packed // the documents of tags, by path; each is made once
}

// packed is a file that is kept compressed, as most clients request it: all files have 8 MB, compressed 1.2.
type packed struct {
	contentType string
	gzipped     []byte
	plain       func() []byte // decompressed once, for clients that do not take gzip
}

// documentations has a function for each public URL, which renders once.
var documentations sync.Map

// documentation returns the documentation of the API at its URL.
func (a *API) documentation() documentation { return documentationOf(a.PublicURL) }

func documentationOf(url string) documentation {
	render := sync.OnceValue(func() documentation {
		document := openapi.New(cmp.Or(url, "/"), records(), fieldsOf(commonFields, classificationFields))
		d := documentation{docs.New(url, exampleProblem(url), document.Reference(), document.JSON()),
			map[string]packed{}, map[string]func() packed{}}
		jsonType := d.Files[documentPath].Type
		d.Files[jsonDocumentPath] = docs.File{Type: jsonType, Content: document.WithoutXML().JSON()}
		for path, file := range d.Files {
			d.files[path] = pack(file)
		}
		for _, tag := range d.Tried {
			d.tags[docs.Root+"/try/"+tag+".json"] = sync.OnceValue(func() packed {
				return pack(docs.File{Type: jsonType, Content: openapi.OfTag(d.files[documentPath].plain(), tag)})
			})
		}
		d.Files = nil
		debug.FreeOSMemory() // rendering took some 50 MB that nothing needs again
		return d
	})
	once, _ := documentations.LoadOrStore(url, render)
	return once.(func() documentation)()
}

// pack compresses a file.
func pack(file docs.File) packed {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(file.Content) // a buffer never fails
	_ = w.Close()
	zipped, size := bytes.Clone(b.Bytes()), len(file.Content)
	return packed{file.Type, zipped, sync.OnceValue(func() []byte { return unpack(zipped, size) })}
}

// unpack decompresses a file of pack, size bytes long.
func unpack(zipped []byte, size int) []byte {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		panic(err) // pack wrote it
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(r, content); err != nil {
		panic(err)
	}
	return content
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
	file, ok := d.files[path]
	switch name := strings.TrimPrefix(path, docs.Root+"/"); {
	case ok:
		return c.sendPacked(file)
	case d.tags[path] != nil:
		return c.sendPacked(d.tags[path]())
	case name == "search":
		found := d.Search(c.Query("q"))
		return c.send(answer{status: http.StatusOK, contentType: found.Type, body: found.Content})
	case name == "swagger-ui-bundle.js", name == "swagger-ui.css", name == "favicon-32x32.png":
		swagger.ServeHTTP(c.Writer, c.Request)
		return nil
	}
	return messages.NoRoute
}

// sendPacked answers with a file, compressed if the client accepts that.
func (c *call) sendPacked(file packed) error {
	body := file.gzipped
	if takesGzip(c.GetHeader("Accept-Encoding")) {
		c.Writer.Header().Set("Content-Encoding", "gzip")
	} else {
		c.Writer.Header().Set(gzhttp.HeaderNoCompression, "1") // gzhttp may take the header for one with gzip
		body = file.plain()
	}
	return c.send(answer{status: http.StatusOK, contentType: file.contentType, body: body})
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
