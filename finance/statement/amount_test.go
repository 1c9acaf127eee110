package statement

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"bordero/finance"
)

func TestAmounts(t *testing.T) {
	for written, want := range map[string]string{
		"":                       "0.0",
		"            .  ":        "0.0",
		",":                      "0.0",
		"-":                      "0.0",
		"R$":                     "0.0",
		"0":                      "0.0",
		"0,00":                   "0.0",
		"-0.00":                  "0.0",
		"0.004":                  "0.0",
		"0.005":                  "0.01",
		"-0.005":                 "-0.01",
		"1":                      "1.0",
		"+1.5":                   "1.5",
		"-11.76":                 "-11.76",
		"            -11,76":     "-11.76",
		"- 11,76":                "-11.76",
		"-1 234,56":              "-1234.56",
		".5":                     "0.5",
		"5.":                     "5.0",
		"-,5":                    "-0.5",
		"1.234":                  "1.23",
		"1,235":                  "1.24",
		"1.234,56":               "1234.56",
		"1,234.56":               "1234.56",
		"1.234.567,8":            "1234567.8",
		"12.345.678":             "12345678.0",
		"1,234,567":              "1234567.0",
		"1234.567,89":            "1234567.89",
		"-00000000000197.1063":   "-197.11",
		"0000000000000000000001": "1.0",
		"0.0000000000000001":     "0.0",
		"-33.7749999999999":      "-33.77",
		"2.675":                  "2.68", // a float would give 2.67
		"$120":                   "120.0",
		"R$ 1.234,56":            "1234.56",
		"-R$ 1,50":               "-1.5",
		"R$ -1,50":               "-1.5",
		"R$-1,50":                "-1.5",
		"9999999999999.99":       "9999999999999.99",
		"-9999999999999,994":     "-9999999999999.99",
	} {
		amount, err := parseAmount(written)
		if err != nil || amount.String() != want {
			t.Errorf("%q reads %v, error %v, want %s", written, amount, err, want)
		}
	}
	for written, want := range map[string]error{
		"abc":               finance.ErrNotNumber,
		"10 reais":          finance.ErrNotNumber,
		"1O":                finance.ErrNotNumber,
		"1E3":               finance.ErrNotNumber,
		"10-":               finance.ErrNotNumber,
		"(10)":              finance.ErrNotNumber,
		"--1":               finance.ErrNotNumber,
		"-1-":               finance.ErrNotNumber,
		"US$ 5":             finance.ErrNotNumber,
		"R $5":              finance.ErrNotNumber,
		"$$5":               finance.ErrNotNumber,
		"5$":                finance.ErrNotNumber,
		"1.2.3":             finance.ErrNotNumber,
		"1.23,45":           finance.ErrNotNumber,
		"1,234.567.89":      finance.ErrNotNumber,
		"1.234,567,890":     finance.ErrNotNumber,
		".234,56":           finance.ErrNotNumber,
		"1..5":              finance.ErrNotNumber,
		"1.5,":              finance.ErrNotNumber,
		"0x10":              finance.ErrNotNumber,
		"١":                 finance.ErrNotNumber,
		"10000000000000":    finance.ErrAmountTooLarge,
		"9999999999999.995": finance.ErrAmountTooLarge,
		"-99999999999999999999999999999999999999": finance.ErrAmountTooLarge,
	} {
		if amount, err := parseAmount(written); !errors.Is(err, want) {
			t.Errorf("%q reads %v, error %v, want %v", written, amount, err, want)
		}
	}
}

var (
	signs  = regexp.MustCompile(`^ *(?:([-+])? *(?:R?\$)?|(?:R?\$) *([-+])?)([ 0-9.,]*)$`)
	number = regexp.MustCompile(`^(?:(\d*)|(\d*)[.,](\d*)|(\d+(?:\.\d{3})+),(\d*)|(\d+(?:,` +
		`\d{3})+)\.(\d*)|(\d+(?:\.\d{3}){2,}|\d+(?:,\d{3}){2,}))$`)
)

// oracle reads an amount with rational numbers; ok is false if it is not an amount.
func oracle(text string) (cents *big.Int, ok bool) {
	part := signs.FindStringSubmatch(text)
	if part == nil {
		return nil, false
	}
	body := strings.ReplaceAll(part[3], " ", "")
	if strings.Trim(body, ".,") == "" {
		return new(big.Int), true
	}
	group := number.FindStringSubmatch(body)
	if group == nil {
		return nil, false
	}
	whole := strings.NewReplacer(".", "", ",", "").Replace(group[1] + group[2] + group[4] + group[6] + group[8])
	r, _ := new(big.Rat).SetString("0" + whole + "." + group[3] + group[5] + group[7] + "0")
	// floor(100r + 1/2) rounds half away from zero if r is not negative.
	r.Add(r.Mul(r, big.NewRat(100, 1)), big.NewRat(1, 2))
	cents = new(big.Int).Quo(r.Num(), r.Denom())
	if part[1]+part[2] == "-" {
		cents.Neg(cents)
	}
	return cents, cents.CmpAbs(big.NewInt(int64(finance.MaxAmount))) <= 0
}

func FuzzAmount(f *testing.F) {
	for _, text := range []string{"", " . ", "1.234,56", "1,234.56", "1.234.567", "-R$ 1,50", "R$-1", "2.675", "-0,005",
		"1 000",
		"9999999999999.995", "9999999999999.994", "1.2.3", "1,5,", "$", "+-1", "00.000,5", "1.234,567.8"} {
		f.Add(text)
	}
	for _, row := range manifest(f) {
		for _, line := range strings.Split(string(corpusFile(f, row)), "<TRNAMT>")[1:] {
			f.Add(strings.TrimSpace(line[:strings.IndexAny(line+"<", "<")]))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseAmount(text)
		want, ok := oracle(text)
		switch {
		case ok != (err == nil):
			t.Errorf("%q reads %v, error %v; the oracle says %v, %v", text, got, err, want, ok)
		case ok && want.Cmp(big.NewInt(int64(got))) != 0:
			t.Errorf("%q reads %v, the oracle says %v cents", text, got, want)
		}
	})
}
