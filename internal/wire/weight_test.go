package wire

import (
	"encoding/xml"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

const formType = "application/x-www-form-urlencoded"

// numbered returns n texts, each with its number for the verbs.
func numbered(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

// held returns the memory of the Input of a body.
func held(t *testing.T, contentType, body string) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in, err := ReadBatch(contentType, []byte(body), 4)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(in)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// Whatever a body is made of, its values hold less than twice its weight. It measures, so it is not parallel.
func TestNoBodyHoldsMuchMoreThanItsWeight(t *testing.T) {
	for name, body := range map[string][2]string{
		"numbers":           {"application/json", `[` + strings.Repeat("1,", 90_000) + `1]`},
		"objects":           {"application/json", `[` + strings.Repeat(`{"a":1},`, 40_000) + `1]`},
		"nested objects":    {"application/json", strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)},
		"elements":          {"application/xml", "<a>" + strings.Repeat("<a/>", 90_000) + "</a>"},
		"nested elements":   {"text/xml", "<a>" + strings.Repeat("<a><a><a/></a></a>", 30_000) + "</a>"},
		"pairs":             {formType, numbered(90_000, "%d&")},
		"nested pairs":      {formType, numbered(1500, "%d"+strings.Repeat("[a]", 60)+"&")},
		"escaped brackets":  {formType, numbered(1500, "%d"+strings.Repeat("%%5Ba%%5D", 60)+"&")},
		"lowercase escapes": {formType, numbered(1500, "%d"+strings.Repeat("%%5ba%%5d", 60)+"&")},
	} {
		t.Run(name, func(t *testing.T) {
			weight, holds := Weight(body[0], []byte(body[1])), held(t, body[0], body[1])
			if holds > 2*weight {
				t.Errorf("%d bytes hold %d and weigh %d", len(body[1]), holds, weight)
			}
		})
	}
	attributes := "<a " + strings.Repeat(`b=""`, 90_000) + "></a>"
	if weight := Weight("application/xml", []byte(attributes)); weight < 90_000*int64(unsafe.Sizeof(xml.Attr{})) {
		t.Errorf("90,000 attributes weigh %d bytes", weight)
	}
}

// A batch of usual records weighs about as much as it holds.
func TestABatchWeighsLittle(t *testing.T) {
	name := `items[%[1]d][payable_account]`
	for contentType, body := range map[string]string{
		"application/json": `{"items":[` + numbered(499, `{"payable_account":{"description":"Aluguel de agosto",`+
			`"amount":"1234.56","due_date":"2026-08-10","category_id":12,"external_id":"erp-%d"}},`) + `{}]}`,
		"application/xml": `<items type="array">` + numbered(500, `<item><description>Aluguel de agosto</description>`+
			`<amount>1234.56</amount><due-date>2026-08-10</due-date><category-id>12</category-id>`+
			`<external-id>erp-%d</external-id></item>`) + `</items>`,
		formType: numbered(500, name+"[description]=Aluguel+de+agosto&"+name+"[amount]=1234.56&"+name+
			"[due_date]=2026-08-10&"+name+"[category_id]=12&"+name+"[external_id]=erp-%[1]d&"),
	} {
		weight, holds := Weight(contentType, []byte(body)), held(t, contentType, body)
		if weight > 2*holds {
			t.Errorf("a batch of %d bytes of %s holds %d and weighs %d", len(body), contentType, holds, weight)
		}
	}
}
