package wire

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var saoPaulo = func() *time.Location {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		panic(err)
	}
	return zone
}()

// cents and day stand for the finance types, which wire does not know.
type cents int64

func (c cents) AppendText(b []byte) ([]byte, error) {
	b = strconv.AppendInt(b, int64(c)/100, 10)
	return append(b, '.', '0'+byte(c/10%10), '0'+byte(c%10)), nil
}

type day struct{ t time.Time }

func (d day) AppendText(b []byte) ([]byte, error) { return d.t.AppendFormat(b, time.DateOnly), nil }

func everyField(w *Writer) {
	id, amount, name, at := int64(7), cents(15_099), "Ação", time.Date(2017, 3, 28, 17, 35, 12, 987, time.UTC)
	w.Int("id", -9_223_372_036_854_775_808)
	w.IntPtr("entity_id", &id)
	w.IntPtr("person_id", nil)
	w.String("name", "Café & <filhos> \"ltda\"\n")
	w.String("observation", "")
	w.StringPtr("description", &name)
	w.StringPtr("document", nil)
	w.Bool("remind", true)
	w.Bool("summary", false)
	w.Null("sync_response")
	Decimal(w, "nominal_amount", amount)
	DecimalPtr(w, "total_amount", &amount)
	DecimalPtr(w, "ticket_amount", (*cents)(nil))
	Number(w, "amount", amount)
	Date(w, "occurred_at", day{at})
	DatePtr(w, "due_date", &day{at})
	DatePtr(w, "liquidated_at", (*day)(nil))
	w.Time("created_at", at)
	w.TimePtr("updated_at", &at)
	w.TimePtr("deleted_at", nil)
	w.IntArray("attachment_id_list", "attachment_id", []int64{1, 2})
	w.IntArray("sale_ids", "sale_id", nil)
	w.StringArray("events", "event", []string{"a", "b&c"})
	w.StringArray("no_events", "event", nil)
	w.Object("event", func() { w.Int("id", 3) })
	w.Object("nothing", func() {})
	w.Array("weekdays", "week_day", 2, func(i int) { w.String("", []string{"mon", "tue"}[i]) })
	w.Objects("_links", "_link", 2, func(i int) {
		w.String("rel", []string{"self", "destroy"}[i])
		w.IntArray("some_ids", "some_id", []int64{int64(i)})
	})
	w.List("account", "accounts", 2, func(i int) { w.Int("id", int64(i)) })
	w.Int("after_lists", 1)
}

func TestEveryFieldInBothFormats(t *testing.T) {
	for format, want := range map[Format]string{
		JSON: `{"sale_rule":{"id":-9223372036854775808,"entity_id":7,"person_id":null,` +
			`"name":"Café & <filhos> \"ltda\"\n","observation":"","description":"Ação","document":null,` +
			`"remind":true,"summary":false,"sync_response":null,` +
			`"nominal_amount":"150.99","total_amount":"150.99","ticket_amount":null,"amount":150.99,` +
			`"occurred_at":"2017-03-28","due_date":"2017-03-28","liquidated_at":null,` +
			`"created_at":"2017-03-28T14:35:12-03:00","updated_at":"2017-03-28T14:35:12-03:00","deleted_at":null,` +
			`"attachment_id_list":[1,2],"sale_ids":[],"events":["a","b&c"],"no_events":null,"event":{"id":3},` +
			`"nothing":{},"weekdays":["mon","tue"],` +
			`"_links":[{"rel":"self","some_ids":[0]},{"rel":"destroy","some_ids":[1]}],` +
			`"accounts":[{"account":{"id":0}},{"account":{"id":1}}],"after_lists":1}}`,
		XML: `<?xml version="1.0" encoding="UTF-8"?><sale-rule>` +
			`<id type="integer">-9223372036854775808</id><entity-id type="integer">7</entity-id><person-id ` +
			`type="integer" nil="true"/>` +
			"<name>Café &amp; &lt;filhos&gt; " +
			"\"ltda\"\n</name><observation></observation><description>Ação</description><document nil=\"true\"/>" +
			`<remind type="boolean">true</remind><summary type="boolean">false</summary><sync-response nil="true"/>` +
			`<nominal-amount type="decimal">150.99</nominal-amount><total-amount type="decimal">150.99</total-amount>` +
			`<ticket-amount type="decimal" nil="true"/>` +
			`<amount type="decimal">150.99</amount>` +
			`<occurred-at type="date">2017-03-28</occurred-at><due-date type="date">2017-03-28</due-date>` +
			`<liquidated-at type="date" nil="true"/>` +
			`<created-at type="datetime">2017-03-28T14:35:12-03:00</created-at><updated-at type="datetime">` +
			`2017-03-28T14:35:12-03:00</updated-at><deleted-at type="datetime" nil="true"/>` +
			`<attachment-id-list type="array"><attachment-id type="integer">1</attachment-id><attachment-id ` +
			`type="integer">2</attachment-id></attachment-id-list>` +
			`<sale-ids type="array"></sale-ids><events type="array"><event>a</event><event>b&amp;c</event></events>` +
			`<no-events type="array" nil="true"/><event><id type="integer">3</id></event><nothing></nothing>` +
			`<weekdays type="array"><week-day>mon</week-day><week-day>tue</week-day></weekdays>` +
			`<_links type="array"><_link><rel>self</rel><some-ids type="array"><some-id type="integer">0</some-id>` +
			`</some-ids></_link>` +
			`<_link><rel>destroy</rel><some-ids type="array"><some-id type="integer">1</some-id></some-ids></_link>` +
			`</_links>` +
			`<accounts type="array"><account><id type="integer">0</id></account><account><id type="integer">1</id>` +
			`</account></accounts>` +
			`<after-lists type="integer">1</after-lists></sale-rule>`,
	} {
		w := NewWriter(format, saoPaulo)
		w.Object("sale_rule", func() { everyField(w) })
		if got := string(w.Bytes()); got != want {
			t.Errorf("%v:\n got %s\nwant %s", format, got, want)
		}
		w.Free()
	}
}

func TestDocuments(t *testing.T) {
	id := func(w *Writer) func(int) { return func(i int) { w.Int("id", int64(i)) } }
	none := func(yield func(string, string) bool) {}
	for name, test := range map[string]struct {
		write     func(*Writer)
		json, xml string
	}{
		"list": {
			func(w *Writer) { w.List("entity", "entities", 2, id(w)) },
			`[{"entity":{"id":0}},{"entity":{"id":1}}]`,
			`<entities type="array"><entity><id type="integer">0</id></entity><entity><id type="integer">1</id>` +
				`</entity></entities>`,
		},
		"empty list": {
			func(w *Writer) { w.List("entity", "entities", 0, id(w)) },
			`[]`,
			`<entities type="array"></entities>`,
		},
		"without a root key": {
			func(w *Writer) { w.Document(func() { w.String("redirect_to", "/x") }) },
			`{"redirect_to":"/x"}`,
			`<hash><redirect-to>/x</redirect-to></hash>`,
		},
		"empty, without a root key": {
			func(w *Writer) { w.Document(func() {}) },
			`{}`,
			`<hash></hash>`,
		},
		"array of arrays": {
			func(w *Writer) {
				w.Document(func() {
					w.Array("rows", "row", 2, func(i int) { w.IntArray("", "cell", []int64{int64(i), 9}) })
				})
			},
			`{"rows":[[0,9],[1,9]]}`,
			`<hash><rows type="array"><row type="array"><cell type="integer">0</cell><cell type="integer">9</cell>` +
				`</row>` +
				`<row type="array"><cell type="integer">1</cell><cell type="integer">9</cell></row></rows></hash>`,
		},
		"error": {
			func(w *Writer) { w.Error("Couldn't find Sale with id=<9>") },
			`{"error":"Couldn't find Sale with id=<9>"}`,
			`<errors><error>Couldn't find Sale with id=&lt;9&gt;</error></errors>`,
		},
		"error with more": {
			func(w *Writer) {
				w.Error("falta ACCOUNT_ID", func() {
					w.String("status", "unprocessable_entity")
					w.List("account", "accounts", 1, id(w))
				})
			},
			`{"error":"falta ACCOUNT_ID","status":"unprocessable_entity","accounts":[{"account":{"id":0}}]}`,
			`<errors><error>falta ACCOUNT_ID</error><status>unprocessable_entity</status><accounts type="array">` +
				`<account><id type="integer">0</id></account></accounts></errors>`,
		},
		"errors": {
			func(w *Writer) {
				w.Errors(pairs("name", "não pode ser vazio", "base", "a", `<"x">`, "y", "name", "é curto"))
			},
			`{"name":["não pode ser vazio","é curto"],"base":["a"],"<\"x\">":["y"]}`,
			`<errors><error>name não pode ser vazio</error><error>base a</error><error>&lt;"x"&gt; y</error><error>` +
				`name é curto</error></errors>`,
		},
		"no errors": {
			func(w *Writer) { w.Errors(none) },
			`{}`,
			`<errors></errors>`,
		},
	} {
		for format, want := range map[Format]string{JSON: test.json, XML: xmlHeader + test.xml} {
			w := NewWriter(format, nil)
			test.write(w)
			if got := string(w.Bytes()); got != want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, want)
			}
		}
	}
}

type broken struct{}

func (broken) AppendText([]byte) ([]byte, error) { return nil, errors.New("no text") }

func TestAValueWithoutTextPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a document without a value was written")
		}
	}()
	w := NewWriter(JSON, nil)
	w.Document(func() { Decimal(w, "amount", broken{}) })
}

func TestFormat(t *testing.T) {
	for format, want := range map[Format][2]string{
		JSON: {"json", "application/json; charset=utf-8"},
		XML:  {"xml", "application/xml; charset=utf-8"},
	} {
		w := NewWriter(format, nil)
		if format.String() != want[0] || format.ContentType() != want[1] || w.Format() != format ||
			w.XML() != (format == XML) {
			t.Errorf("got %v, %s, %v, %v", format, format.ContentType(), w.Format(), w.XML())
		}
	}
}

func pairs(texts ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := 0; i < len(texts); i += 2 {
			if !yield(texts[i], texts[i+1]) {
				return
			}
		}
	}
}

func TestTimesAreInTheZoneOfTheWriter(t *testing.T) {
	summer := time.Date(2017, 1, 5, 23, 0, 0, 999_999_999, time.UTC)
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		zone *time.Location
		want string
	}{
		{saoPaulo, `{"at":"2017-01-05T21:00:00-02:00"}`},
		{time.UTC, `{"at":"2017-01-05T23:00:00Z"}`},
		{nil, `{"at":"2017-01-05T23:00:00Z"}`},
		{lisbon, `{"at":"2017-01-05T23:00:00+00:00"}`},
		{time.FixedZone("", 5*3600+1800), `{"at":"2017-01-06T04:30:00+05:30"}`},
	} {
		w := NewWriter(JSON, test.zone)
		w.Document(func() { w.Time("at", summer) })
		if got := string(w.Bytes()); got != test.want {
			t.Errorf("in %v: got %s, want %s", test.zone, got, test.want)
		}
	}
}

func TestTextsAreEscaped(t *testing.T) {
	for in, want := range map[string]struct{ json, xml string }{
		"a\tb\nc\rd":            {`a\tb\nc\rd`, "a\tb\nc&#13;d"},
		"\x00\x1f\x7f":          {`\u0000\u001f` + "\x7f", "\uFFFD\uFFFD\x7f"},
		`\ / ' "`:               {`\\ / ' \"`, `\ / ' "`},
		"<&>":                   {"<&>", "&lt;&amp;&gt;"},
		"]]>":                   {"]]>", "]]&gt;"},
		"\u2028\u2029":          {`\u2028\u2029`, "\u2028\u2029"},
		"\uFFFE\uFFFF\uFFFD":    {"\uFFFE\uFFFF\uFFFD", "\uFFFD\uFFFD\uFFFD"},
		"a\xffb\xc3":            {"a\uFFFDb\uFFFD", "a\uFFFDb\uFFFD"},
		"\xed\xa0\x80":          {"\uFFFD\uFFFD\uFFFD", "\uFFFD\uFFFD\uFFFD"}, // a surrogate
		"São João 🎉 \U00010000": {"São João 🎉 \U00010000", "São João 🎉 \U00010000"},
	} {
		for format, want := range map[Format]string{JSON: want.json, XML: want.xml} {
			w := NewWriter(format, nil)
			w.text(in)
			if got := strings.TrimPrefix(string(w.Bytes()), xmlHeader); got != want {
				t.Errorf("%q as %v: got %q, want %q", in, format, got, want)
			}
		}
	}
}

// anyText draws texts with what the three parsers treat differently.
var anyText = rapid.OneOf(
	rapid.String(),
	rapid.StringOf(rapid.SampledFrom([]rune("a<>&\"'\\/\r\n\t\x00\x01\x7f\u0085\u2028\u2029\uFFFD\uFFFE\uFFFFé🎉]"))),
	rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
)

func TestAnyTextIsReadBackByTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkText(t, anyText.Draw(t, "text")) })
}

func FuzzWriterString(f *testing.F) {
	f.Add("a<>&\"\\\r\n\x00\xff\u2028\uFFFE")
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

func checkText(t interface{ Fatalf(string, ...any) }, s string) {
	inJSON, inXML := NewWriter(JSON, nil), NewWriter(XML, nil)
	for _, w := range []*Writer{inJSON, inXML} {
		w.Document(func() { w.String("text", s) })
	}
	var got struct {
		Text string `json:"text" xml:"text"`
	}
	if err := json.Unmarshal(inJSON.Bytes(), &got); err != nil {
		t.Fatalf("%q: %v in %s", s, err, inJSON.Bytes())
	}
	want := string([]rune(s)) // U+FFFD for each byte that is not UTF-8
	if got.Text != want {
		t.Fatalf("JSON: got %q, want %q", got.Text, want)
	}
	if err := xml.Unmarshal(inXML.Bytes(), &got); err != nil {
		t.Fatalf("%q: %v in %s", s, err, inXML.Bytes())
	}
	want = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' {
			return '\uFFFD'
		}
		return r
	}, want)
	if got.Text != want {
		t.Fatalf("XML: got %q, want %q", got.Text, want)
	}
}

// Tags are built once for the whole process, by whichever writer comes first.
func TestWritersAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				name := fmt.Sprintf("name_%d_%d", i*7%200, i)
				w := NewWriter(XML, nil)
				w.Object(name, func() { w.Null(name) })
				kebab := strings.ReplaceAll(name, "_", "-")
				if got, want := string(w.Bytes()), xmlHeader+"<"+kebab+"><"+kebab+` nil="true"/></`+kebab+
					">"; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				w.Free()
			}
		})
	}
	all.Wait()
}

func TestRecordsCostNoAllocation(t *testing.T) {
	rs := records()
	for _, f := range []Format{JSON, XML} {
		write(f, rs).Free() // grows the buffer and builds the tags
		if n := testing.AllocsPerRun(20, func() { write(f, rs).Free() }); n > listed/10 {
			t.Errorf("%v: %v allocations for %d records", f, n, len(rs))
		}
	}
}

// What records share is written as if each wrote it.
func TestSharedMembersAreRepeated(t *testing.T) {
	lists := [][]int64{{1, 2}, {3}}
	document := func(f Format, shared func(w *Writer, key any, write func())) string {
		w := NewWriter(f, nil)
		defer w.Free()
		w.List("record", "records", 5, func(i int) {
			of := lists[i/3]
			ids := func() { shared(w, &of[0], func() { w.IntArray("ids", "id", of) }) }
			if i < 3 {
				w.Object("before", ids) // the first member, and written first
			}
			w.Int("number", int64(i))
			ids()
			w.Object("after", ids)
		})
		return string(w.Bytes())
	}
	for _, f := range []Format{JSON, XML} {
		want := document(f, func(_ *Writer, _ any, write func()) { write() })
		for range 2 { // a writer is used again
			if got := document(f, func(w *Writer, key any, write func()) { w.Shared(key, write) }); got != want {
				t.Errorf("%v: %s, want %s", f, got, want)
			}
		}
	}
}

func TestAWriterStopsAtItsLimit(t *testing.T) {
	for limit, want := range map[int]string{0: `{"ids":[100,101,102]}`, 20: `{"ids":[100,101,102]}`,
		10: `{"ids":[100]}`} {
		w := NewWriter(JSON, nil)
		left := limit
		w.Limit(func(more int) bool {
			left -= more
			return limit == 0 || left >= 0
		})
		w.Document(func() { w.IntArray("ids", "id", []int64{100, 101, 102}) })
		if got := string(w.Bytes()); got != want || w.Cut() != (limit == 10) {
			t.Errorf("up to %d: %s, cut: %t", limit, got, w.Cut())
		}
		w.Free()
	}
}
