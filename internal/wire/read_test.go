package wire

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"

	"pgregory.net/rapid"
)

func (c *cents) UnmarshalText(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return messages.NotNumber
	}
	*c = cents(f*100 + 0.5)
	return nil
}

func (d *day) UnmarshalText(text []byte) (err error) {
	if d.t, err = time.Parse(time.DateOnly, string(text)); err != nil {
		return messages.NotDate
	}
	return nil
}

const (
	asJSON = "application/json; charset=utf-8"
	asXML  = "application/xml"
	asForm = "application/x-www-form-urlencoded"
)

// read is Read for well-formed bodies.
func read(t *testing.T, contentType, body string) *Input {
	t.Helper()
	in, err := Read(contentType, []byte(body))
	if err != nil {
		t.Fatalf("Read(%q, %q): %v", contentType, body, err)
	}
	return in
}

func found(in *Input) string {
	var all []string
	for _, m := range in.Messages() {
		all = append(all, m.Attribute+" "+m.Text)
	}
	return strings.Join(all, "; ")
}

func TestReadByContentType(t *testing.T) {
	const (
		inJSON = `{"entity":{"name":"x"}}`
		inXML  = `<entity><name>x</name></entity>`
		inForm = `entity[name]=x`
	)
	for contentType, body := range map[string]string{
		"application/json":               inJSON,
		"Application/JSON;charset=UTF-8": inJSON,
		"text/json":                      inJSON,
		"application/vnd.api+json":       inJSON,
		"application/json; broken":       "\uFEFF" + inJSON,
		"application/xml":                inXML,
		"text/xml ; charset=utf-8":       "\n" + inXML + "\n",
		"application/atom+xml":           "\uFEFF" + xmlHeader + inXML,
		asForm:                           inForm,
		asForm + "; charset=utf-8":       "entity%5Bname%5D=%78",
	} {
		root, ok := read(t, contentType, body).Root("entity")
		var name string
		root.String("name", &name)
		if !ok || name != "x" {
			t.Errorf("%s: got %q, %v", contentType, name, ok)
		}
	}
	for _, contentType := range []string{"", "text/plain", "multipart/form-data; boundary=x",
		"application/octet-stream", "json"} {
		if _, err := Read(contentType, []byte(inJSON)); !errors.Is(err, messages.BodyOfType) {
			t.Errorf("%q: got %v", contentType, err)
		}
		for _, blank := range []string{"", " ", "\r\n\t ", "\uFEFF"} {
			in := read(t, contentType, blank)
			if root, ok := in.Root("entity"); ok || root.Has("name") || in.Has("entity") {
				t.Errorf("%q: a blank body has members", contentType)
			}
		}
	}
}

func TestRoot(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		want              bool
	}{
		{asJSON, `{"sale_rule":{}}`, true},
		{asJSON, `{"other":1,"sale_rule":{"a":null}}`, true},
		{asJSON, `{"sale_rule":1,"sale_rule":{}}`, true},
		{asJSON, `{"sale_rule":{},"sale_rule":1}`, false},
		{asJSON, `{}`, false},
		{asJSON, `{"sale":{}}`, false},
		{asJSON, `{"sale_rule":null}`, false},
		{asJSON, `{"sale_rule":[]}`, false},
		{asJSON, `{"sale_rule":""}`, false},
		{asJSON, `[{"sale_rule":{}}]`, false},
		{asJSON, `null`, false},
		{asJSON, `1`, false},
		{asXML, `<sale-rule/>`, true},
		{asXML, `<sale-rule> </sale-rule>`, true},
		{asXML, `<sale_rule><a/></sale_rule>`, true},
		{asXML, `<x:sale-rule xmlns:x="urn:x"><x:a/></x:sale-rule>`, true},
		{asXML, `<hash><sale-rule/></hash>`, true},
		{asXML, `<sale-rule>text</sale-rule>`, false},
		{asXML, `<sale-rule nil="true"/>`, false},
		{asXML, `<sale-rule type="array"/>`, false},
		{asXML, `<sale/>`, false},
		{asForm, `sale_rule[a]=1`, true},
		{asForm, `sale_rule=1&sale_rule[a]=1`, true},
		{asForm, `sale_rule[a]=1&sale_rule=1`, false},
		{asForm, `sale_rule=1`, false},
		{asForm, `sale_rule[]=1`, false},
	} {
		if _, got := read(t, test.contentType, test.body).Root("sale_rule"); got != test.want {
			t.Errorf("%s: got %v", test.body, got)
		}
	}
}

func TestMalformedBodiesNameTheLine(t *testing.T) {
	deep := func(open string, n int) string { return strings.Repeat(open, n) }
	for _, test := range []struct {
		contentType, body string
		line              int
		reason            string
	}{
		{asJSON, "{\n\"a\": 1,\n\"b\": tru\n}", 3, messages.ValueExpected},
		{asJSON, "{\n\"a\": 1,\n\n}", 4, ""},
		{asJSON, `{"a" 1}`, 1, messages.ColonExpected},
		{asJSON, `{"a":1 "b":2}`, 1, messages.CommaOrBraceExpected},
		{asJSON, `{1:2}`, 1, ""},
		{asJSON, "{\"a\":\n[1,2}", 2, ""},
		{asJSON, "{\"a\":1\n", 2, messages.EndedEarly},
		{asJSON, "[1,\n2,]", 2, messages.ValueExpected},
		{asJSON, "{\"a\":01}", 1, ""},
		{asJSON, "{'a':1}", 1, messages.NameExpected},
		{asJSON, "{\"a\":True}", 1, messages.ValueExpected},
		{asJSON, "{\"a\":\"\\u00g0\"}", 1, messages.BadString},
		{asJSON, "\n\n<entity/>", 3, ""},
		{asJSON, "{}\n{}", 2, string(errTrailing)},
		{asJSON, "{}\n]", 2, string(errTrailing)},
		{asJSON, "{\"a\":\"\n\"}", 1, messages.BadString},
		{asJSON, "{\n\"a\":\"\xe7\"}", 2, string(errNotUTF8)},
		{asJSON, deep("[", 65) + deep("]", 65), 1, string(errTooDeep)},
		{asJSON, "[" + deep("1,", maxValues) + "1]", 1, string(errTooMany)},
		{asXML, "<a>\n<b>\n</a>", 3, messages.ElementsCrossed},
		{asXML, "<a>\n", 2, ""},
		{asXML, "<a>&nbsp;</a>", 1, messages.AmpersandBare},
		{asXML, "<a b=c/>", 1, messages.AttributeUnquoted},
		{asXML, "<a b/>", 1, messages.AttributeUnquoted},
		{asXML, "<a>A & B</a>", 1, messages.AmpersandBare},
		{asXML, "<a>1 < 2</a>", 1, messages.AngleBare},
		{asXML, "{}", 1, string(errOutside)},
		{asXML, "<a/>\ntext", 2, string(errOutside)},
		{asXML, "<a/>\n<b/>", 2, string(errTrailing)},
		{asXML, "<!-- nothing -->", 1, string(errNoRoot)},
		{asXML, "<!DOCTYPE a>\n<a/>", 1, string(errDirective)},
		{asXML, "<a>\n<!DOCTYPE a></a>", 2, string(errDirective)},
		{asXML, "<a><![INCLUDE[x]]></a>", 1, ""},
		{asXML, "<?xml version=\"1.0\"?>\n<?php evil ?><a/>", 2, string(errProcInst)},
		{asXML, "<?php evil ?><a/>", 1, string(errProcInst)},
		{asXML, "<a><?xml version=\"1.0\"?></a>", 1, string(errProcInst)},
		{asXML, " <?xml-stylesheet href=\"x\"?><a/>", 1, string(errProcInst)},
		{asXML, `<?xml version="1.0" encoding="ISO-8859-1"?><a/>`, 1, string(errNotUTF8)},
		{asXML, `<?xml version="1.0" encoding="UTF-16"?><a/>`, 1, string(errNotUTF8)},
		{asXML, "\xff\xfe<\x00a\x00/\x00>\x00", 1, string(errNotUTF8)},
		{asXML, deep("<a>", 65) + deep("</a>", 65), 1, string(errTooDeep)},
		{asXML, "<a>" + deep("<b/>", maxValues) + "</a>", 1, string(errTooMany)},
		{asForm, "a=%zz", 1, string(errPercent)},
		{asForm, "b=1&a=%", 1, string(errPercent)},
		{asForm, "a[][b]=1", 1, string(errBrackets)},
		{asForm, "a" + deep("[b]", 64) + "=1", 1, string(errTooDeep)},
		{asForm, deep("a[]=&", maxValues) + "a[]=", 1, string(errTooMany)},
	} {
		_, err := Read(test.contentType, []byte(test.body))
		shown := test.body[:min(len(test.body), 60)]
		wrong, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("%q: got %v", shown, err)
			continue
		}
		if wrong.Line != test.line || !strings.Contains(wrong.Text, fmt.Sprintf("inválido na linha %d", test.line)) {
			t.Errorf("%q: got line %d and %q, want line %d", shown, wrong.Line, wrong.Text, test.line)
		}
		if !strings.HasSuffix(wrong.Text, test.reason) {
			t.Errorf("%q: got %q, want the reason %q", shown, wrong.Text, test.reason)
		}
	}
}

func TestDeepestAndLongestBodiesAreRead(t *testing.T) {
	repeat := strings.Repeat
	for _, test := range []struct{ contentType, body string }{
		{asJSON, repeat("[", 64) + repeat("]", 64)},
		{asJSON, "[" + repeat("1,", maxValues-2) + "1]"},
		{asXML, repeat("<a>", 64) + repeat("</a>", 64)},
		{asXML, "<a>" + repeat("<b/>", maxValues-1) + "</a>"},
		{asForm, "a" + repeat("[b]", 63) + "=1"},
		{asForm, repeat("a[]=&", maxValues-1) + "a[]="},
		{asXML, `<?xml version="1.0" encoding="utf8"?><a/>`},
		{asXML, `<?xml version="1.0" encoding="us-ascii" standalone="yes"?><!-- fine --><a/><!-- too -->`},
	} {
		read(t, test.contentType, test.body)
	}
}

// The worst that an attacker can send within the allowed size gets an error, and soon: all
// of it takes half a second on an idle machine.
func TestHostileBodies(t *testing.T) {
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	laughs := `<!DOCTYPE l [<!ENTITY a "ha">`
	for c := 'b'; c < 'z'; c++ {
		laughs += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	laughs += `]><l>&y;</l>`
	for name, test := range map[string]struct{ contentType, body string }{
		"brackets":           {asJSON, fill("[")},
		"objects":            {asJSON, fill(`{"":`)},
		"flat":               {asJSON, "[" + fill("{},") + "{}]"},
		"members":            {asJSON, "{" + fill(`"":1,`) + `"":1}`},
		"quotes":             {asJSON, fill(`"`)},
		"one open string":    {asJSON, `"` + fill("a")},
		"billion laughs":     {asXML, laughs},
		"external entity":    {asXML, `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`},
		"undeclared entity":  {asXML, `<a>&x;</a>`},
		"elements":           {asXML, fill("<a>")},
		"siblings":           {asXML, "<a>" + fill("<a/>") + "</a>"},
		"angle brackets":     {asXML, fill("<")},
		"directives":         {asXML, fill("<!D [")},
		"open comment":       {asXML, "<!--" + fill("- ")},
		"attributes":         {asXML, "<a " + fill(`xmlns:a="b" `)},
		"brackets in a name": {asForm, "a" + fill("[b]")},
		"names":              {asForm, fill("a[b]=1&")},
		"ampersands":         {asForm, fill("&")},
	} {
		began := time.Now()
		_, err := Read(test.contentType, []byte(test.body))
		if _, ok := errors.AsType[*SyntaxError](err); !ok && name != "ampersands" {
			t.Errorf("%s: got %v", name, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"2",null,1.5e3,true,"\ud800"]}}`))
	f.Add([]byte("{\n\"a\":tru"))
	f.Fuzz(func(t *testing.T, body []byte) { checkRead(t, asJSON, body) })
}

func FuzzReadXML(f *testing.F) {
	f.Add([]byte(xmlHeader + `<a type="array"><b-c nil="true"/><d>1</d><![CDATA[x]]>&amp;</a>`))
	f.Add([]byte("<!DOCTYPE a [<!ENTITY b \"c\">]><a>\n&b;</a>"))
	f.Fuzz(func(t *testing.T, body []byte) { checkRead(t, asXML, body) })
}

func FuzzForm(f *testing.F) {
	f.Add([]byte("a[b][c][]=1&a[0][b]=%C3%A7&a=b+c&%00=%ff&[=]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		checkRead(t, asForm, body)
		if values, err := url.ParseQuery(string(body)); err == nil {
			in, err := Form(values)
			checkInput(t, body, in, err)
		}
	})
}

func checkRead(t *testing.T, contentType string, body []byte) {
	in, err := Read(contentType, body)
	checkInput(t, body, in, err)
}

// checkInput reads every value of an Input as every type. Nothing may panic, and no text
// may come out that PostgreSQL refuses.
func checkInput(t *testing.T, body []byte, in *Input, err error) {
	if err != nil {
		wrong, ok := errors.AsType[*SyntaxError](err)
		if !ok || wrong.Line < 1 || wrong.Line > 1+bytes.Count(body, []byte("\n")) {
			t.Fatalf("%q: %#v", body, err)
		}
		return
	}
	for name := range in.node.members {
		if !in.Has(name) {
			t.Fatalf("%q has no %q", body, name)
		}
		var (
			text   string
			number int64
			yes    bool
			moment *time.Time
			ids    []int64
			amount *cents
		)
		in.String(name, &text)
		if strings.ContainsRune(text, 0) || text != string([]rune(text)) {
			t.Fatalf("%q gives the text %q", body, text)
		}
		in.Int(name, &number)
		in.Bool(name, &yes)
		in.Time(name, &moment)
		in.IDs(name, &ids)
		DecodeIntoPtr(in, name, &amount)
		if len(ids) != len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
			t.Fatalf("%q gives the ids %v", body, ids)
		}
		for _, object := range in.Objects(name) {
			checkInput(t, body, object, nil)
		}
		if root, ok := in.Root(name); ok {
			checkInput(t, body, root, nil)
		}
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	// What XML 1.0 can represent and PostgreSQL can store.
	text := rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("ab <>&\"'\\/\r\n\t\u0085\u2028]é🎉")),
		rapid.Rune().Filter(func(r rune) bool { return r >= ' ' && r != '\uFFFE' && r != '\uFFFF' }),
	))
	rapid.Check(t, func(t *rapid.T) {
		var (
			id     = rapid.Int64().Draw(t, "id")
			person = rapid.Ptr(rapid.Int64(), true).Draw(t, "person")
			name   = text.Draw(t, "name")
			note   = rapid.Ptr(text, true).Draw(t, "note")
			remind = rapid.Bool().Draw(t, "remind")
			amount = cents(rapid.Int64Range(0, 1e9).Draw(t, "amount"))
			at     = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0)
			ids    = rapid.SliceOfDistinct(rapid.Int64(), rapid.ID).Draw(t, "ids")
			names  = rapid.SliceOf(text).Draw(t, "names")
		)
		for _, f := range []Format{JSON, XML} {
			w := NewWriter(f, saoPaulo)
			w.Object("sale_rule", func() {
				w.Int("id", id)
				w.IntPtr("person_id", person)
				w.String("name", name)
				w.StringPtr("note", note)
				w.Bool("remind", remind)
				Decimal(w, "amount", amount)
				DecimalPtr(w, "limit", (*cents)(nil))
				w.Time("created_at", at)
				w.IntArray("sale_ids", "sale_id", ids)
				w.Objects("tax_charges", "tax_charge", len(names), func(i int) { w.String("name", names[i]) })
			})
			in, err := Read(f.ContentType(), w.Bytes())
			if err != nil {
				t.Fatalf("%v in %s", err, w.Bytes())
			}
			in, ok := in.Root("sale_rule")

			// Read values must replace these.
			gotID, one, other := int64(-1), int64(-1), "other"
			gotPerson, gotName, gotNote, gotRemind := &one, other, &other, !remind
			gotAmount, gotLimit, gotAt, gotIDs := cents(-1), new(cents), new(time.Time), []int64{-1}
			in.Int("id", &gotID)
			in.IntPtr("person_id", &gotPerson)
			in.String("name", &gotName)
			in.StringPtr("note", &gotNote)
			in.Bool("remind", &gotRemind)
			DecodeInto(in, "amount", &gotAmount)
			DecodeIntoPtr(in, "limit", &gotLimit)
			in.Time("created_at", &gotAt)
			in.IDs("sale_ids", &gotIDs)
			var gotNames []string
			for _, charge := range in.Objects("tax_charges") {
				var name string
				charge.String("name", &name)
				gotNames = append(gotNames, name)
			}

			if note != nil && strings.TrimSpace(*note) == "" {
				note = nil
			}
			if !ok || gotID != id || !same(gotPerson, person) || gotName != name || !same(gotNote, note) ||
				gotRemind != remind || gotAmount != amount || gotLimit != nil || !gotAt.Equal(at) ||
				!slices.Equal(gotIDs, ids) || !slices.Equal(gotNames, names) || found(in) != "" {
				t.Fatalf("not read back (%s): %s", found(in), w.Bytes())
			}
		}
	})
}

func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
