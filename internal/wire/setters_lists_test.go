package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/internal/messages"
)

func TestIDs(t *testing.T) {
	before := []int64{-77}
	const twice = `foi enviado mais de uma vez: escreva ids[]=a&ids[]=b, ou em JSON ["a", "b"]`
	for _, test := range []struct {
		contentType, body string
		want              []int64
		message           string
	}{
		{asJSON, `{"ids":[3,1,2]}`, []int64{3, 1, 2}, ""},
		{asJSON, `{"ids":[1,"1"," 2 ",2.0,2e0,1]}`, []int64{1, 2}, ""},
		{asJSON, `{"ids":"3, 1,,1,2,"}`, []int64{3, 1, 2}, ""},
		{asJSON, `{"ids":5}`, []int64{5}, ""},
		{asJSON, `{"ids":[null,"",4]}`, []int64{4}, ""},
		{asJSON, `{"ids":[]}`, nil, ""},
		{asJSON, `{"ids":null}`, nil, ""},
		{asJSON, `{"ids":""}`, nil, ""},
		{asJSON, `{}`, before, ""},
		{asJSON, `{"ids":[1,"x"]}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":[1.5]}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":[[1]]}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":[true]}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":[{"id":1}]}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":{"from":1,"to":9}}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":{}}`, before, messages.NotInteger.Text},
		{asJSON, `{"ids":[9223372036854775808]}`, before, messages.NotInRange.Text},
		{asXML, `<hash><ids type="array"><id type="integer">2</id><id>1</id></ids></hash>`, []int64{2, 1}, ""},
		{asXML, `<hash><ids><id>2</id><id>1</id></ids></hash>`, []int64{2, 1}, ""},
		{asXML, `<hash><ids> <id> 2 </id> </ids></hash>`, []int64{2}, ""},
		{asXML, `<hash><ids type="array"/></hash>`, nil, ""},
		{asXML, `<hash><ids/></hash>`, nil, ""},
		{asXML, `<hash><ids nil="true"/></hash>`, nil, ""},
		{asXML, `<hash><ids>1,2</ids></hash>`, []int64{1, 2}, ""},
		{asXML, `<hash><ids type="array">1,2</ids></hash>`, []int64{1, 2}, ""},
		{asXML, `<hash><ids><id><id>1</id></id></ids></hash>`, before, messages.NotInteger.Text},
		{asForm, `ids[]=2&ids[]=1&ids[]=2`, []int64{2, 1}, ""},
		{asForm, `ids%5B%5D=2&ids%5B%5D=`, []int64{2}, ""},
		{asForm, `ids[10]=3&ids[2]=2&ids[1]=1`, []int64{1, 2, 3}, ""},
		{asForm, `ids=1,2`, []int64{1, 2}, ""},
		{asForm, `ids[]=`, nil, ""},
		{asForm, `ids=`, nil, ""},
		{asForm, `ids[a]=1`, before, messages.NotInteger.Text},
		{asForm, `ids=1&ids=2`, before, twice},
		{asForm, `ids=1&ids=2&ids=2`, before, twice},
		{asForm, `ids=1&ids[]=2`, before, twice},
		{asForm, `ids[]=1&ids=2`, before, twice},
		{asForm, `ids=1&ids[0]=2`, before, twice},
		{asForm, `ids=1&ids=`, before, twice},
		{asForm, `ids=&ids=1&ids= 1`, []int64{1}, ""},
		{asXML, `<hash><ids>1</ids><ids>2</ids></hash>`, before, twice},
		{asXML, `<hash><ids><id>1</id></ids><ids><id>2</id></ids></hash>`, before, twice},
		{asJSON, `{"ids":[1],"ids":[2]}`, []int64{2}, ""},
	} {
		in := read(t, test.contentType, test.body)
		got := before
		in.IDs("ids", &got)
		want := ""
		if test.message != "" {
			want = "ids " + test.message
		}
		if !slices.Equal(got, test.want) || found(in) != want {
			t.Errorf("%s: got %v, %q, want %v, %q", test.body, got, found(in), test.want, want)
		}
	}
}

func TestFilters(t *testing.T) {
	xml := func(member string) string { return "<hash><search>" + member + "</search></hash>" }
	for _, test := range []struct{ contentType, body, want string }{
		{asJSON, `{"search":{"ids":[1,"2"],"name":"a","note":null}}`, "map[ids:1,2 name:a]"},
		{asJSON, `{"search":{"ids":{"id":1}}}`, "ids não é válido"},
		{asJSON, `{"search":{"ids":[[1]]}}`, "ids não é válido"},
		{asJSON, `{"search":[]}`, "search não é válido"},
		{asXML, xml(`<ids type="array"><id>1</id><id>2</id></ids>`), "map[ids:1,2]"},
		{asXML, xml(`<ids><id>1</id><id>2</id></ids>`), "map[ids:1,2]"},
		{asXML, xml(`<person-type-in><type>a</type><type>b</type></person-type-in>`), "map[person_type_in:a,b]"},
		{asXML, xml(`<ids><id>1</id></ids>`), "map[ids:1]"},
		{asXML, xml(`<ids><item>1</item></ids>`), "map[ids:1]"},
		{asXML, xml(`<entities><entity>1</entity></entities>`), "map[entities:1]"},
		{asXML, xml(`<person-type-in><type>a</type></person-type-in>`), "map[person_type_in:a]"},
		{asXML, xml(`<ids/>`), "map[ids:]"},
		{asXML, xml(`<ids>1,2</ids>`), "map[ids:1,2]"},
		{asXML, xml(`<amount><gte>1</gte></amount>`), "amount não é válido"},
		{asXML, xml(`<amount><gte>1</gte><lte>2</lte></amount>`), "amount não é válido"},
		{asXML, xml(`<ids><id><a>1</a></id><id>2</id></ids>`), "ids não é válido"},
		{asForm, `search[ids][]=1&search[ids][]=2`, "map[ids:1,2]"},
		{asForm, `search[ids]=1&search[ids]=2`, "ids foi enviado mais de uma vez"},
		{asXML, xml(`<ids>1</ids><ids>2</ids>`), "ids foi enviado mais de uma vez"},
		{asJSON, `{"search":{"name":["a"]}}`, "map[name:a]"},
		{asJSON, `{"search":{"name":["a","b"]}}`, "name aceita um valor só"},
		{asXML, xml(`<name><name>a</name><name>b</name></name>`), "name aceita um valor só"},
		{asForm, `search[name][]=a&search[name][]=b`, "name aceita um valor só"},
	} {
		in := read(t, test.contentType, test.body)
		got := fmt.Sprint(in.Filters("search", func(name string) bool { return name == "name" }))
		if wrong := found(in); wrong != "" {
			got = wrong
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.body, got, test.want)
		}
	}
}

func TestStrings(t *testing.T) {
	before := []string{"before"}
	for _, test := range []struct {
		contentType, body string
		want              []string
		message           string
	}{
		{asJSON, `{"events":["sales.*"," people.created ","sales.*",null,""]}`, []string{"sales.*", "people.created"},
			""},
		{asJSON, `{"events":"sales.*, people.created,"}`, []string{"sales.*", "people.created"}, ""},
		{asJSON, `{"events":[3,1e3,1.50,true,null]}`, []string{"3", "1e3", "1.50", "true"}, ""},
		{asJSON, `{"events":3}`, []string{"3"}, ""},
		{asJSON, `{"events":[3,{"a":1}]}`, before, messages.StructureForText.Text},
		{asJSON, `{"events":[["a"]]}`, before, messages.StructureForText.Text},
		{asJSON, `{"events":{"a":1}}`, before, messages.StructureForText.Text},
		{asJSON, `{"events":[null]}`, before, messages.Blank.Text},
		{asJSON, `{"events":[""," "]}`, before, messages.Blank.Text},
		{asXML, `<hash><events><event/></events></hash>`, before, messages.Blank.Text},
		{asForm, `events[]=`, before, messages.Blank.Text},
		{asJSON, `{"events":""}`, nil, ""},
		{asJSON, `{"events":[]}`, nil, ""},
		{asJSON, `{"events":null}`, nil, ""},
		{asJSON, `{}`, before, ""},
		{asJSON, `{"events":["a\u0000"]}`, before, messages.NotText.Text},
		{asXML, `<hash><events type="array"><event>sales.*</event><event> people.* </event></events></hash>`,
			[]string{"sales.*", "people.*"}, ""},
		{asXML, `<hash><events>sales.*,people.*</events></hash>`, []string{"sales.*", "people.*"}, ""},
		{asXML, `<hash><events type="array" nil="true"/></hash>`, nil, ""},
		{asForm, `events[]=sales.*&events[]=people.*`, []string{"sales.*", "people.*"}, ""},
		{asXML, `<hash><events>sales.*</events><events>people.*</events></hash>`, before,
			messages.ListTwice.With("events", "events").Text},
	} {
		in := read(t, test.contentType, test.body)
		got := before
		in.Strings("events", &got)
		want := ""
		if test.message != "" {
			want = "events " + test.message
		}
		if !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) || found(in) != want {
			t.Errorf("%s: got %q, %q, want %q, %q", test.body, got, found(in), test.want, want)
		}
	}
}

func TestObject(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		want              string // the days, none, or the message
	}{
		{asJSON, `{"match":{"days":3}}`, "3"},
		{asJSON, `{"match":{}}`, "0"},
		{asJSON, `{"match":null}`, "none"},
		{asJSON, `{"match":""}`, "none"},
		{asJSON, `{}`, "none"},
		{asJSON, `{"match":[]}`, "match não é válido"},
		{asJSON, `{"match":"x"}`, "match não é válido"},
		{asJSON, `{"match":true}`, "match não é válido"},
		{asJSON, `{"match":{"days":"x"}}`, "match.days não é um número inteiro"},
		{asXML, `<hash><match><days>3</days></match></hash>`, "3"},
		{asXML, `<hash><match/></hash>`, "0"},
		{asXML, `<hash><match nil="true"/></hash>`, "none"},
		{asXML, `<hash><match>x</match></hash>`, "match não é válido"},
		{asForm, `match[days]=3`, "3"},
		{asForm, `match=`, "none"},
	} {
		in := read(t, test.contentType, test.body)
		got := "none"
		if match := in.Object("match"); match != nil {
			var days int64
			match.Int("days", &days)
			got = fmt.Sprint(days)
		}
		if wrong := found(in); wrong != "" {
			got = wrong
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.body, got, test.want)
		}
	}
}

func TestObjects(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		want              string // the tax ids, or the message
	}{
		{asJSON, `{"charges":[{"tax_id":1},{"tax_id":2}]}`, "[1 2]"},
		{asJSON, `{"charges":[{},{"tax_id":2}]}`, "[0 2]"},
		{asJSON, `{"charges":{"0":{"tax_id":1},"1":{"tax_id":2}}}`, "[1 2]"},
		{asJSON, `{"charges":[]}`, "[]"},
		{asJSON, `{"charges":null}`, "[]"},
		{asJSON, `{}`, "[]"},
		{asJSON, `{"charges":[1]}`, "charges não é válido"},
		{asJSON, `{"charges":[{},null]}`, "charges não é válido"},
		{asJSON, `{"charges":{"tax_id":1}}`, "charges não é válido"},
		{asJSON, `{"charges":{}}`, "charges não é válido"},
		{asJSON, `{"charges":5}`, "charges não é válido"},
		{asJSON, `{"charges":"x"}`, "charges não é válido"},
		{asXML, `<hash><charges><charge><tax-id>1</tax-id></charge></charges><charges><charge/></charges></hash>`,
			"charges foi enviado mais de uma vez"},
		{asXML, `<hash><charges type="array"><charge><tax-id>1</tax-id></charge><charge><tax-id>2</tax-id></charge>` +
			`</charges></hash>`, "[1 2]"},
		{asXML, `<hash><charges><charge><tax-id>1</tax-id></charge></charges></hash>`, "[1]"},
		{asXML, `<hash><charges><charge/></charges></hash>`, "[0]"},
		{asXML, `<hash><charges type="array"/></hash>`, "[]"},
		{asXML, `<hash><charges/></hash>`, "[]"},
		{asXML, `<hash><charges><charge>1</charge></charges></hash>`, "charges não é válido"},
		{asXML, `<hash><charges><charge type="array"/></charges></hash>`, "charges não é válido"},
		{asForm, `charges[0][tax_id]=1&charges[1][tax_id]=2`, "[1 2]"},
		{asForm, `charges[10][tax_id]=2&charges[9][tax_id]=1`, "[1 2]"},
		{asForm, `charges[0][tax_id]=1&charges[x][tax_id]=2`, "charges não é válido"},
		{asForm, `charges=`, "[]"},
		{asForm, `charges[]=1`, "charges não é válido"},
	} {
		in := read(t, test.contentType, test.body)
		ids := []int64{}
		for _, charge := range in.Objects("charges") {
			var id int64
			charge.Int("tax_id", &id)
			ids = append(ids, id)
		}
		got := fmt.Sprint(ids)
		if wrong := found(in); wrong != "" {
			got = strings.TrimPrefix(got, "[]") + wrong
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.body, got, test.want)
		}
	}
}
