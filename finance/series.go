package finance

import (
	"cmp"
	"slices"

	"bordero/internal/messages"
)

// Periods of a series.
const (
	Monthly = "monthly"
	Annual  = "annual"
)

// Limits on the number of accounts in a series.
const (
	monthlyRows = 120
	annualRows  = 10
	minParcels  = 2
	maxParcels  = 480

	maxSeriesLinks = 5000 // attachments, taxes and classifications of all together
)

// Series is the place of a financial account among those created together: either recurrent
// accounts, or parcels, which have a fixed number.
type Series struct {
	RecurrenceID     *int64
	RecurrencePeriod *string
	NumberOfParcels  *int64
	CurrentParcel    *int64
	PreviousID       *int64 // among the accounts of the series that still exist
	NextID           *int64

	CreateAsRecurrent string  // a period; input only
	CreateAsParcelled string  // a period; input only
	Created           []int64 // ids of the accounts that its creation made, its own first
}

// Parcelled reports whether the account is a parcel.
func (s *Series) Parcelled() bool { return s.NumberOfParcels != nil }

// Recurrent reports whether the account belongs to a recurrent series.
func (s *Series) Recurrent() bool { return s.RecurrenceID != nil && !s.Parcelled() }

// validateSeries refuses an invalid series of a new account, and sets the period of a valid one.
func (f *FinancialAccount) validateSeries(invalid *Invalid) {
	if f.ID != 0 {
		return
	}
	switch {
	case f.CreateAsRecurrent != "" && f.CreateAsParcelled != "":
		invalid.Add("create_as_parcelled", messages.RecurrentAlready)
	case f.CreateAsRecurrent != "":
		f.NumberOfParcels = nil
		if f.CreateAsRecurrent != Monthly && f.CreateAsRecurrent != Annual {
			invalid.Add("create_as_recurrent", messages.NotOneOf([]string{Monthly, Annual}))
			return
		}
		f.RecurrencePeriod = &f.CreateAsRecurrent
	case f.CreateAsParcelled != "":
		if f.CreateAsParcelled != Monthly {
			invalid.Add("create_as_parcelled", messages.NotOneOf([]string{Monthly}))
			return
		}
		if f.NumberOfParcels == nil {
			invalid.Add("number_of_parcels", messages.Blank)
			return
		}
		if n := *f.NumberOfParcels; n < minParcels || n > maxParcels {
			invalid.Add("number_of_parcels", messages.NotBetween.With(minParcels, maxParcels))
			return
		}
		f.RecurrencePeriod = &f.CreateAsParcelled
	default:
		f.NumberOfParcels = nil
	}
	rows := f.Occurrences()
	last := rows[len(rows)-1]
	if !f.DueDate.IsZero() && last.DueDate.IsZero() {
		invalid.Add("due_date", messages.NotInRange)
	} else if !f.CompetencyMonth.IsZero() && last.CompetencyMonth.IsZero() {
		invalid.Add("competency_month", messages.NotInRange)
	} else if len(rows) > 1 {
		validateLinks(invalid, len(rows)*f.Links(), []links{
			{AttachmentIDList, messages.Files, len(f.AttachmentIDs)},
			{"financial_account_taxes_attributes", messages.Taxes, len(f.Taxes)},
			{CustomClassificationsName, messages.Classifications, len(f.CustomClassifications)},
			{CenterClassificationsName, messages.Classifications, len(f.CenterClassifications)},
		})
	}
}

// links is one list of a record, such as its taxes. Each record of a series has a copy of it.
type links struct {
	attribute, named string
	length           int
}

// validateLinks refuses a series with too many links in all. The fault is at the longest list, and names the lists with
// an element.
func validateLinks(invalid *Invalid, all int, lists []links) {
	if all <= maxSeriesLinks {
		return
	}
	var names []string
	for _, l := range lists {
		if l.length > 0 && !slices.Contains(names, l.named) {
			names = append(names, l.named)
		}
	}
	longest := slices.MaxFunc(lists, func(a, b links) int { return cmp.Compare(a.length, b.length) })
	invalid.Add(longest.attribute, messages.SeriesTooLarge.With(all, messages.And(names), maxSeriesLinks))
}

// Links returns the number of the account's attachments, taxes and classifications. Each account of a series has as
// many.
func (f *FinancialAccount) Links() int {
	return len(f.AttachmentIDs) + len(f.Taxes) + len(f.CustomClassifications) + len(f.CenterClassifications)
}

// Occurrence contains the values that differ between the accounts of a series.
type Occurrence struct {
	DueDate         Date
	CompetencyMonth Month
}

// Occurrences returns the accounts that creating f creates, in order; only one if f begins no
// series. Each due date is the same day of the month as the first, or the last day of a shorter
// month: 31 January is followed by 28 February and 31 March. The competency month of a recurrent
// account moves with its due date; all parcels have the first one's.
func (f *FinancialAccount) Occurrences() []Occurrence {
	count, step, competencyStep := 1, 1, 0
	switch {
	case f.RecurrencePeriod == nil:
	case f.NumberOfParcels != nil:
		count = int(*f.NumberOfParcels)
	case *f.RecurrencePeriod == Annual:
		count, step, competencyStep = annualRows, 12, 12
	default:
		count, competencyStep = monthlyRows, 1
	}
	rows := make([]Occurrence, count)
	for i := range rows {
		rows[i] = Occurrence{f.DueDate.AddMonths(i * step), f.CompetencyMonth.AddMonths(i * competencyStep)}
	}
	return rows
}
