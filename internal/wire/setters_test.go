package wire

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"
)

// forms returns the same member in the three formats: value is JSON, text is what XML and
// forms have instead.
func forms(value, text string) map[string]string {
	return map[string]string{
		asJSON: `{"the_name":` + value + `}`,
		asXML:  `<hash><the-name>` + text + `</the-name></hash>`,
		asForm: `the_name=` + url.QueryEscape(text),
	}
}

const notSent = "not sent"

func TestIntegers(t *testing.T) {
	notInteger, notInRange := "the_name "+messages.NotInteger.Text, "the_name "+messages.NotInRange.Text
	for text, want := range map[string]string{
		"12": "12", "-3": "-3", "+3": "3", " 7\n": "7", "007": "7",
		"1.0": "1", "1.000": "1", "-0.0": "0", "1e3": "1000", "1E3": "1000", "1.2e1": "12", "-1.5e+1": "-15",
		"120e-1": "12", ".5e1": "5", "0e19": "0",
		"9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"": "null", " ": "null",
		"9223372036854775808": notInRange, "-9223372036854775809": notInRange, "1e19": notInRange, "1e99": notInRange,
		"1e999999999999": notInRange,
		"1.5":            notInteger, "1e-1": notInteger, "15e-1": notInteger, "-5e-1": notInteger,
		"1e-99999": notInteger, "1.5e-9223372036854775808": notInteger,
		"x": notInteger, "12x": notInteger, "0x10": notInteger, "1_000": notInteger, "1,000": notInteger,
		"1 2": notInteger, "--1": notInteger,
		"-": notInteger, "+": notInteger, ".": notInteger, "e": notInteger, "e5": notInteger, "-e5": notInteger,
		".e5": notInteger, "5.e5": "500000",
		"1.e": notInteger, "1.-0": notInteger, "1e": notInteger, "1e1.0": notInteger, "Inf": notInteger,
		"NaN": notInteger, "true": notInteger, "{}": notInteger, "٣": notInteger,
	} {
		for contentType, body := range forms(fmt.Sprintf("%q", text), text) {
			checkInteger(t, contentType, body, want)
		}
	}
	for value, want := range map[string]string{
		"12": "12", "1.0": "1", "1e3": "1000", "-0": "0", "9223372036854775807": "9223372036854775807",
		"null": "null", "1.5": notInteger, "9223372036854775808": notInRange, "1e400": notInRange,
		"true": notInteger, "{}": notInteger, "[]": notInteger, "[1]": notInteger,
	} {
		checkInteger(t, asJSON, `{"the_name":`+value+`}`, want)
	}
	checkInteger(t, asXML, `<hash><the-name type="integer" nil="true"/></hash>`, "null")
	checkInteger(t, asXML, `<hash xmlns:xsi="x"><the-name xsi:nil="1">5</the-name></hash>`, "null")
	checkInteger(t, asXML, `<hash><the-name type="string"><![CDATA[5]]><!-- five --></the-name></hash>`, "5")
	checkInteger(t, asXML, `<hash><the-name><x>5</x></the-name></hash>`, notInteger)
	checkInteger(t, asJSON, `{"the_name":1,"the_name":2}`, "2")
	checkInteger(t, asXML, `<hash><the-name>1</the-name><the-name>2</the-name></hash>`, "2")
	checkInteger(t, asForm, `the_name[a]=0&the_name=1&the_name=2`, "2")
	checkInteger(t, asJSON, `{"other":1}`, notSent)
}

func checkInteger(t *testing.T, contentType, body, want string) {
	t.Helper()
	in := read(t, contentType, body)
	before := int64(-77)
	number, pointer := before, &before
	in.Int("the_name", &number)
	in.IntPtr("the_name", &pointer)
	switch got := found(in); {
	case pointer == &before && number == before:
		if got == "" {
			got = notSent
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	case want == "null":
		if number != 0 || pointer != nil || got != "" {
			t.Errorf("%s: got %d, %v, %q, want null", body, number, pointer, got)
		}
	case pointer == nil || *pointer != number || fmt.Sprint(number) != want || got != "":
		t.Errorf("%s: got %d, %q, want %s", body, number, got, want)
	}
}

func TestBooleans(t *testing.T) {
	notValid := "the_name " + messages.NotBoolean.Text
	check := func(contentType, body, want string) {
		t.Helper()
		for _, before := range []bool{false, true} {
			got := before
			in := read(t, contentType, body)
			in.Bool("the_name", &got)
			switch {
			case want == notSent || want == notValid:
				if got != before || found(in) != strings.TrimPrefix(want, notSent) {
					t.Errorf("%s: got %v, %q, want %s", body, got, found(in), want)
				}
			case fmt.Sprint(got) != want || found(in) != "":
				t.Errorf("%s: got %v, %q, want %s", body, got, found(in), want)
			}
		}
	}
	for text, want := range map[string]string{
		"true": "true", "1": "true", " true ": "true", "false": "false", "0": "false", "": "false", " ": "false",
		"yes": notValid, "2": notValid, "TRUE": notValid, "sim": notValid,
	} {
		for contentType, body := range forms(fmt.Sprintf("%q", text), text) {
			check(contentType, body, want)
		}
	}
	for value, want := range map[string]string{"true": "true", "false": "false", "1": "true", "0": "false",
		"null": "false", "2": notValid, "{}": notValid, "[]": notValid} {
		check(asJSON, `{"the_name":`+value+`}`, want)
	}
	check(asJSON, `{}`, notSent)
}

func TestASynonymCountsWhereTheAttributeIsBlank(t *testing.T) {
	for contentType, bodies := range map[string]map[string]int64{
		asJSON: {`{"other":1,"the_name":null}`: 1, `{"the_name":"","other":"1"}`: 1, `{"other":1,"the_name":2}`: 2,
			`{"other":null,"the_name":2}`: 2, `{"other":1}`: 1, `{"the_name":null}`: 0, `{}`: 7,
			`{"other":null,"the_name":null}`: 0},
		asXML: {`<hash><other>1</other><the-name nil="true"/></hash>`: 1,
			`<hash><the-name/><other>1</other></hash>`: 1},
		asForm: {`other=1&the_name=`: 1, `other=1&the_name=2`: 2},
	} {
		for body, want := range bodies {
			in, got := read(t, contentType, body), int64(7)
			in.Synonym("other", "the_name")
			in.Int("other", &got)
			in.Int("the_name", &got)
			if got != want || found(in) != "" {
				t.Errorf("%s: got %d, %q, want %d", body, got, found(in), want)
			}
		}
	}
}

func TestTexts(t *testing.T) {
	notValid := "the_name " + messages.NotValid.Text
	check := func(contentType, body, want string, wantNil bool) {
		t.Helper()
		in := read(t, contentType, body)
		before := "before"
		got, pointer := before, &before
		in.String("the_name", &got)
		in.StringPtr("the_name", &pointer)
		if want == notSent || want == notValid {
			if got != before || pointer != &before || found(in) != strings.TrimPrefix(want, notSent) {
				t.Errorf("%s: got %q, %v, %q, want %s", body, got, pointer, found(in), want)
			}
			return
		}
		if got != want || (pointer == nil) != wantNil || pointer != nil && *pointer != want || found(in) != "" {
			t.Errorf("%s: got %q, %v, %q, want %q", body, got, pointer, found(in), want)
		}
	}
	for text, isNil := range map[string]bool{"a": false, " a b\t": false, "Ação 🎉": false, "null": false, "0": false,
		"": true, " ": true, "\t\n": true} {
		for contentType, body := range forms(fmt.Sprintf("%q", text), text) {
			check(contentType, body, text, isNil)
		}
	}
	// as they are written
	for _, value := range []string{"12", "-1042.50", "1e3", "1.0", "123456789012345678901234567890", "true", "false"} {
		check(asJSON, `{"the_name":`+value+`}`, value, false)
	}
	check(asXML, `<hash><the-name type="integer">0012</the-name></hash>`, "0012", false)
	check(asJSON, `{"the_name":null}`, "", true)
	check(asXML, `<hash><the-name nil="true">a</the-name></hash>`, "", true)
	check(asXML, "<hash><the-name>a &lt;b&gt; <![CDATA[<&c>]]>&#13;\r\nd</the-name></hash>", "a <b> <&c>\r\nd", false)
	check(asJSON, `{"the_name":"a\u0000b"}`, notValid, false)
	check(asJSON, `{"the_name":"\ud800"}`, "\uFFFD", false)
	check(asForm, "the_name=a%00b", notValid, false)
	check(asForm, "the_name=%E7", notValid, false)
	check(asForm, "the_name=%C3%A7+a%2Bb;c", "ç a+b;c", false)
	check(asForm, "the_name", "", true)
	check(asJSON, `{"the-name":"a"}`, notSent, false)
}

// A list or an object is blank where there is no text to lose, as recorded clients expect.
func TestAStructureIsNoText(t *testing.T) {
	for _, body := range []string{`{"the_name":{}}`, `{"the_name":{"a":"b"}}`, `{"the_name":[]}`, `{"the_name":["a"]}`,
		`<hash><the-name>a<x>b</x>c</the-name></hash>`} {
		for _, test := range []struct {
			before  string
			changes bool
			refused bool
		}{{"", false, false}, {"", true, true}, {"before", false, true}, {"before", true, true}} {
			contentType := asJSON
			if strings.HasPrefix(body, "<") {
				contentType = asXML
			}
			in := read(t, contentType, body)
			in.Changes = test.changes
			got, want := test.before, ""
			in.String("the_name", &got)
			if test.refused {
				want = "the_name " + messages.StructureForText.Text
			}
			if found(in) != want || got != test.before {
				t.Errorf("%s before %+v: got %q, %q, want %q", body, test, got, found(in), want)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	at := func(s string) time.Time {
		moment, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for text, want := range map[string]time.Time{
		"2017-03-28T14:35:12-03:00":   at("2017-03-28T17:35:12Z"),
		"2017-03-28T14:35:12Z":        at("2017-03-28T14:35:12Z"),
		"2017-03-28T14:35:12.5+05:30": at("2017-03-28T09:05:12.5Z"),
		"2017-03-28 14:35:12-03:00":   at("2017-03-28T17:35:12Z"),
		"2017-03-28T14:35-03:00":      at("2017-03-28T17:35:00Z"),
		"2017-03-28T14:35:12":         at("2017-03-28T17:35:12Z"), // in São Paulo
		"2017-01-28 14:35:12":         at("2017-01-28T16:35:12Z"), // and its summer time
		"2017-03-28T14:35":            at("2017-03-28T17:35:00Z"),
		" 2017-03-28 ":                at("2017-03-28T03:00:00Z"),
		"2017-03-28T14:35:12+23:59":   at("2017-03-27T14:36:12Z"),
		// PostgreSQL would round the last moment of .NET into the year 10000.
		"9999-12-31T23:59:59.9999999Z": at("9999-12-31T23:59:59.999999Z"),
	} {
		for contentType, body := range forms(fmt.Sprintf("%q", text), text) {
			in := read(t, contentType, body)
			in.Zone = saoPaulo
			var got *time.Time
			if in.Time("the_name", &got); got == nil || *got != want || found(in) != "" {
				t.Errorf("%s: got %v, %q, want %v", body, got, found(in), want)
			}
		}
	}
	for _, value := range []string{
		`"28/03/2017"`, `"2017-02-29"`, `"2017-13-01T00:00:00Z"`, `"2017-03-28T25:00:00Z"`, `"0000-01-01"`,
		`"9999-12-31T23:59:59-03:00"`, `"0001-01-01T00:00:00Z"`,
		`"20170328"`, `"now"`, `1490722512`, `true`, `{}`, `[]`,
	} {
		in := read(t, asJSON, `{"the_name":`+value+`}`)
		in.Zone = saoPaulo // where the first moment of the year 1 in UTC is of the year 0
		before := time.Now()
		got := &before
		if in.Time("the_name", &got); got != &before || found(in) != "the_name "+messages.NotDate.Text {
			t.Errorf("%s: got %v, %q", value, got, found(in))
		}
	}
	got := new(time.Time)
	in := read(t, asJSON, `{"null":null,"blank":" ","utc":"2017-03-28T14:35"}`)
	if in.Time("absent", &got); got == nil {
		t.Error("absent clears")
	}
	if in.Time("utc", &got); !got.Equal(at("2017-03-28T14:35:00Z")) {
		t.Errorf("without a zone: got %v", got)
	}
	for _, name := range []string{"null", "blank"} {
		got := new(time.Time)
		if in.Time(name, &got); got != nil || found(in) != "" {
			t.Errorf("%s: got %v, %q", name, got, found(in))
		}
	}
}

func TestDecodeIntoLeavesTheTextToTheType(t *testing.T) {
	notNumber := "the_name " + messages.NotNumber.Text
	check := func(contentType, body, want string) {
		t.Helper()
		in := read(t, contentType, body)
		before := cents(-77)
		got, pointer := before, &before
		DecodeInto(in, "the_name", &got)
		DecodeIntoPtr(in, "the_name", &pointer)
		if want == notSent || want == notNumber {
			if got != before || pointer != &before || found(in) != strings.TrimPrefix(want, notSent) {
				t.Errorf("%s: got %d, %v, %q, want %s", body, got, pointer, found(in), want)
			}
			return
		}
		if want == "null" {
			if got != 0 || pointer != nil || found(in) != "" {
				t.Errorf("%s: got %d, %v, %q, want null", body, got, pointer, found(in))
			}
			return
		}
		if fmt.Sprint(int64(got)) != want || pointer == nil || *pointer != got || found(in) != "" {
			t.Errorf("%s: got %d, %v, %q, want %s", body, got, pointer, found(in), want)
		}
	}
	for text, want := range map[string]string{"12.34": "1234", "0.199E3": "19900", " 1\n": "100", "": "null",
		" ": "null", "x": notNumber} {
		for contentType, body := range forms(fmt.Sprintf("%q", text), text) {
			check(contentType, body, want)
		}
	}
	for value, want := range map[string]string{"12.34": "1234", "0.199E3": "19900", "1e0": "100", "null": "null",
		"true": notNumber, "[]": notNumber, "{}": notNumber, "[1]": notNumber} {
		check(asJSON, `{"the_name":`+value+`}`, want)
	}
	check(asJSON, `{}`, notSent)

	// The literal of a JSON number, not a float64.
	var got literalText
	const long = "123456789012345678901234567890.10"
	if DecodeInto(read(t, asJSON, `{"the_name":`+long+`}`), "the_name", &got); got != long {
		t.Errorf("got %s", got)
	}
}

type literalText string

func (l *literalText) UnmarshalText(text []byte) error { *l = literalText(text); return nil }

func TestMessagesOfOneBodyAreTogether(t *testing.T) {
	in := read(t, asJSON, `{"page":"x","sale":{"id":"y","charges":[{"amount":"z"},{"amount":"w",`+
		`"items":[{"id":true}]}]}}`)
	in.Zone = saoPaulo
	var number int64
	var amount cents
	sale, _ := in.Root("sale")
	sale.Int("id", &number)
	for _, charge := range sale.Objects("charges") {
		if charge.Zone != saoPaulo {
			t.Error("the zone is not handed on")
		}
		DecodeInto(charge, "amount", &amount)
		for _, item := range charge.Objects("items") {
			item.Int("id", &number)
		}
	}
	in.Int("page", &number)
	in.Int("page", &number)
	amounts := strings.Repeat("; charges.amount "+messages.NotNumber.Text, 2) // one for each place
	want := "id não é um número inteiro" + amounts + "; charges.items.id não é um número inteiro; page não é um " +
		"número inteiro"
	if got := found(in); got != want {
		t.Errorf("got %q", got)
	}
	if got := found(sale); got != want {
		t.Errorf("below: got %q", got)
	}
}
