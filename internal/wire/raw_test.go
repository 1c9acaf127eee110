package wire

import (
	"encoding/json"
	"testing"
)

func TestStoredJSONIsWrittenInBothFormats(t *testing.T) {
	t.Parallel()
	const stored = ` {"name":["A","B & \"C\""],"due_date":[null,"2026-01-02"],"paid":[true,false],"n":[1,-2.50],` +
		`"tags":[[],[{"a_b":1}]]} `
	for f, want := range map[Format]string{
		JSON: `{"v":{"name":["A","B & \"C\""],"due_date":[null,"2026-01-02"],"paid":[true,false],"n":[1,-2.50],` +
			`"tags":[[],[{"a_b":1}]]},"none":null}`,
		XML: xmlHeader + `<hash><v><name type="array"><item>A</item><item>B &amp; "C"</item></name>` +
			`<due-date type="array"><item nil="true"/><item>2026-01-02</item></due-date>` +
			`<paid type="array"><item type="boolean">true</item><item type="boolean">false</item></paid>` +
			`<n type="array"><item type="integer">1</item><item type="decimal">-2.50</item></n>` +
			`<tags type="array"><item type="array"></item><item type="array"><item><a-b type="integer">1</a-b></item>` +
			`</item></tags></v><none nil="true"/></hash>`,
	} {
		w := NewWriter(f, nil)
		w.Document(func() {
			w.JSON("v", json.RawMessage(stored))
			w.JSON("none", nil)
		})
		if got := string(w.Bytes()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		w.Free()
	}
}

// Names of a client give elements of XML, and stay in no memory.
func TestAnyNameIsAnElement(t *testing.T) {
	t.Parallel()
	w := NewWriter(XML, nil)
	defer w.Free()
	w.Document(func() {
		w.JSON("v", json.RawMessage(`{"":1,"e mail":["a"],"<b>&":null,"1st":{"ção":true},"a.b-c":"x","_id":2}`))
	})
	want := xmlHeader + `<hash><v><_ type="integer">1</_><e-mail type="array"><item>a</item></e-mail>` +
		`<_b-- nil="true"/><_1st><_-o type="boolean">true</_-o></_1st><a.b-c>x</a.b-c><_id type="integer">2</_id>` +
		`</v></hash>`
	if got := string(w.Bytes()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range tags {
		for tag := tags[i].Load(); tag != nil; tag = tag.next {
			if tag.name == "e mail" || tag.name == "e_mail" {
				t.Errorf("%q is kept", tag.name)
			}
		}
	}
}
