// Package demo generates the books of a fictional company, to try the service and to measure it:
// names, tax numbers with correct check digits, bank descriptions, and sales with their prices.
// The same seed and day generate the same books. It is apart from finance because no rule depends
// on it, and from storage/demo because it makes values and knows no table.
package demo

import (
	_ "embed" // texts.txt
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/finance/taxid"
)

// Months is the number of months in the books, including the current one.
const Months = 36

//go:embed texts.txt
var textsFile string

// texts are the lines of texts.txt by their heading.
var texts = readTexts(textsFile)

func readTexts(file string) map[string][]string {
	all, heading := map[string][]string{}, ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			heading, _, _ = strings.Cut(name, ":")
		} else if line != "" {
			all[heading] = append(all[heading], line)
		}
	}
	return all
}

// Company is an entity and the records that its movements and sales refer to. The caller stores
// them and sets their ids, including those of Categories, before it generates movements and
// sales.
type Company struct {
	Entity     finance.Entity
	People     []finance.Person
	Centers    []finance.ClassificationCenter
	Classifier finance.CustomClassifier
	Values     []finance.CustomClassifierValue // of Classifier
	Categories map[string]int64                // the account's category ids by full name; missing ones are not used
	Banks      []finance.DepositAccount        // each with one statement per month
	Statements []finance.BankStatement         // grouped by bank in the order of Banks, then by month
	Outlets    []*Outlet
	Card       finance.CreditCard

	calendar   []date       // every day from the first to today
	liquidated finance.Date // sales that were due before it are
	seed       uint64
	kinds      []kind
}

// date is a day and the index of its month in the books.
type date struct {
	finance.Date
	month int
}

// NewCompany generates a company of the account with the given number of people, at least 10, as
// customers and suppliers. Its books end today.
func NewCompany(account int64, people int, seed uint64, today finance.Date) *Company {
	c := &Company{seed: seed, liquidated: today, kinds: readKinds(), Outlets: outlets(account)}
	for m := range Months {
		month := finance.MonthOf(today).AddMonths(m + 1 - Months)
		for d := month.Day(1); finance.MonthOf(d) == month && !d.After(today); d = d.AddDays(1) {
			c.calendar = append(c.calendar, date{d, m})
		}
	}
	r := c.random("company")
	number := taxNumber(r, 12)
	c.Entity = finance.Entity{
		LateCharges: finance.DefaultLateCharges,
		AccountID:   account, Name: pick(r, texts["trades"]) + " " + pick(r, texts["places"]) + " Ltda",
		FederationSubscriptionNumber: &number,
	}
	for i := range max(people, 10) {
		c.People = append(c.People, person(r, account, i%4 == 0))
	}
	for i, name := range texts["centers"] {
		c.Centers = append(c.Centers, finance.ClassificationCenter{AccountID: account, Name: name, CostCenter: true,
			RevenueCenter: i < 2})
	}
	c.Classifier = finance.CustomClassifier{AccountID: account, Name: texts["classifier"][0]}
	for _, value := range texts["classifier"][1:] {
		c.Values = append(c.Values, finance.CustomClassifierValue{AccountID: account, Value: value})
	}
	c.banks(r)
	closing, expiration := int64(25), int64(5)
	c.Card = finance.CreditCard{AccountID: account, Name: "Visa Empresarial", Flag: "Visa", ClosingDay: &closing,
		ExpirationDay: &expiration}
	return c
}

// random returns the random source of one part of the books, so that a change in one part does
// not affect another.
func (c *Company) random(part string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(part)) // never fails
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// between returns an amount from least to most, inclusive.
func between(r *rand.Rand, least, most finance.Amount) finance.Amount {
	return least + finance.Amount(r.Int64N(int64(most-least)+1))
}

// taxNumber returns a formatted CPF for 9 digits or CNPJ for 12, plus the check digits.
func taxNumber(r *rand.Rand, digits int) string {
	var b strings.Builder
	for range digits - len(headOffice)*(digits/12) {
		b.WriteByte('0' + byte(r.IntN(10)))
	}
	if digits == 12 {
		b.WriteString(headOffice)
	}
	n := taxid.Complete(b.String())
	if digits == 12 {
		return fmt.Sprintf("%s.%s.%s/%s-%s", n[:2], n[2:5], n[5:8], n[8:12], n[12:])
	}
	return fmt.Sprintf("%s.%s.%s-%s", n[:3], n[3:6], n[6:9], n[9:])
}

// headOffice is the part of a CNPJ that numbers a company's establishments.
const headOffice = "0001"

// person generates a company that supplies, or a natural person who buys.
func person(r *rand.Rand, account int64, supplies bool) finance.Person {
	p := finance.Person{AccountID: account, Customer: !supplies, Supplier: supplies}
	kind, digits := finance.NaturalPerson, 9
	if supplies {
		kind, digits = finance.JuridicalPerson, 12
		p.Name = pick(r, texts["trades"]) + " " + pick(r, texts["places"]) + " Ltda"
	} else {
		p.Name = pick(r, texts["given names"]) + " " + pick(r, texts["surnames"]) + " " + pick(r, texts["surnames"])
	}
	number, street, house := taxNumber(r, digits), pick(r, texts["streets"]), fmt.Sprint(1+r.IntN(2000))
	city, state, _ := strings.Cut(pick(r, texts["cities"]), ", ")
	phone := fmt.Sprintf("(%d) 9%04d-%04d", 11+r.IntN(80), r.IntN(10000), r.IntN(10000))
	p.PersonType, p.FederationSubscriptionNumber, p.Phone = &kind, &number, &phone
	p.Address, p.AddressNumber, p.City, p.State = &street, &house, &city, &state
	return p
}

// banks generates the deposit accounts and their statements.
func (c *Company) banks(r *rand.Rand) {
	kind := int64(finance.Checking)
	for _, line := range texts["banks"] {
		code, name, _ := strings.Cut(line, ", ")
		bank, _ := strconv.ParseInt(code, 10, 64)
		initial := between(r, 1_000_00, 90_000_00)
		c.Banks = append(c.Banks, finance.DepositAccount{
			AccountID: c.Entity.AccountID, Name: name, DepositAccountTypeID: &kind, BankAccountID: &bank,
			CurrencyID: finance.BRL, InitialBalance: &initial,
		})
		for m := range Months {
			month := finance.MonthOf(c.today()).AddMonths(m + 1 - Months)
			c.Statements = append(c.Statements, finance.BankStatement{
				AccountID: c.Entity.AccountID, FileFileName: "extrato-" + month.String() + ".ofx",
				FileContentType: "application/x-ofx", FileFileSize: 1,
			})
		}
	}
}

// day returns the day of the i-th of n records. Records are spread evenly, so that ids and days
// grow together as in a real company.
func (c *Company) day(i, n int) date { return c.calendar[i*len(c.calendar)/n] }

func (c *Company) today() finance.Date { return c.calendar[len(c.calendar)-1].Date }
