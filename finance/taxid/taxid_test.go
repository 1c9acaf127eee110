package taxid

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValid(t *testing.T) {
	valid := []string{
		"529.982.247-25", "52998224725", "529982247-25", "111.444.777-35", "000.000.001-91",
		"11.222.333/0001-81", "11222333000181", "00.000.000/0001-91", "33.000.167/0001-01",
		"12.ABC.345/01DE-35", "12ABC34501DE35", "12.abc.345/01de-35", "00.000.000/E08G-12",
	}
	for _, s := range valid {
		if !Valid(s) {
			t.Errorf("%q is refused", s)
		}
	}
	invalid := []string{
		"", " ", "0", "529.982.247-24", "529.982.247-15", "5299822472", "529982247255",
		"111.111.111-11", "000.000.000-00", "00.000.000/0000-00", "11.111.111/1111-11",
		"11.222.333/0001-82", "11.222.333/0001-91", "1122233300018",
		"12.ABC.345/01DE-36", "12.ABC.345/01DE-3A", "12.ABÇ.345/01DE-35", "12.ABſ.345/01DE-35",
		" 529.982.247-25", "529.982.247-25 ", "529.982.247-25\n", "CPF 529.982.247-25",
		"52.99.82.247-25", "529..982.247-25", "529-982-247.25", "529,982,247-25",
		"11.222.333-0001/81", "٥٢٩٩٨٢٢٤٧٢٥", "abc", "aaaaaaaaaaaaaa",
	}
	for _, s := range invalid {
		if Valid(s) {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestCompact(t *testing.T) {
	for s, want := range map[string]string{
		"12.abc.345/01de-35": "12ABC34501DE35",
		" 529.982.247-25 ":   "52998224725",
		"":                   "",
		"./-":                "",
	} {
		if got := Compact(s); got != want {
			t.Errorf("Compact(%q) = %q, want %q", s, got, want)
		}
	}
}

// Numbers with computed check digits are valid, with or without punctuation, and every single
// wrong character is detected if modulo 11 can detect it. It cannot detect two characters that
// are 11 apart, such as A and L. It also writes 0 for both remainders 0 and 1, so a first check
// digit of 0 may hide an error; the test then expects only errors in the check digits to be
// detected.
func TestCheckDigitsSeeOneSlip(t *testing.T) {
	kinds := []struct {
		name       string
		characters string
		length     int
		maxWeight  int
		cuts       []int
		marks      string
	}{
		{"CPF", "[0-9]{9}", 9, 11, []int{3, 6, 9}, "..-"},
		{"CNPJ", "[0-9A-Z]{12}", 12, 9, []int{2, 5, 8, 12}, "../-"},
	}
	for _, kind := range kinds {
		t.Run(kind.name, rapid.MakeCheck(func(t *rapid.T) {
			number := rapid.StringMatching(kind.characters).Draw(t, "number")
			number += string(checkDigit(number, kind.maxWeight))
			number += string(checkDigit(number, kind.maxWeight))
			if strings.Count(number, number[:1]) == len(number) {
				t.Skip("all the same")
			}
			if !Valid(number) || !Valid(strings.ToLower(number)) || !Valid(punctuated(number, kind.cuts, kind.marks)) {
				t.Fatalf("%s is refused", number)
			}

			at := rapid.IntRange(0, len(number)-1).Draw(t, "at")
			other := rapid.StringMatching(kind.characters).Draw(t, "other")[0]
			seen := (int(other)-int(number[at]))%11 != 0 && (at >= kind.length || number[kind.length] != '0')
			slip := number[:at] + string(other) + number[at+1:]
			if seen && Valid(slip) {
				t.Fatalf("%s is taken for %s", slip, number)
			}
		}))
	}
}

func punctuated(number string, cuts []int, marks string) string {
	for i := len(cuts) - 1; i >= 0; i-- {
		number = number[:cuts[i]] + marks[i:i+1] + number[cuts[i]:]
	}
	return number
}
