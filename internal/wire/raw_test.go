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
