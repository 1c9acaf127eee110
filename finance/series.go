package finance

import "bordero/internal/messages"

// Periods of a series.
const (
	Monthly = "monthly"
	Annual  = "annual"
)

// How many rows a series has at most.
const (
	monthlyRows = 120
	annualRows  = 10
	minParcels  = 2
	maxParcels  = 480
)

// Series is the place of a financial account among those that were created with
// it: recurrent ones, or parcels, which are counted.
type Series struct {
	RecurrenceID     *int64
	RecurrencePeriod *string
	NumberOfParcels  *int64
	CurrentParcel    *int64
	PreviousID       *int64 // of the accounts of the series that there still are
	NextID           *int64

	CreateAsRecurrent string  // a period; input only
	CreateAsParcelled string  // a period; input only
	Created           []int64 // the ids of the accounts that its creation made, itself the first
}

// Parcelled tells whether the account is a parcel.
func (s *Series) Parcelled() bool { return s.NumberOfParcels != nil }

// Recurrent tells whether the account is of a series that is not counted.
func (s *Series) Recurrent() bool { return s.RecurrenceID != nil && !s.Parcelled() }

// validateSeries refuses a series that a new account cannot begin, and sets the
// period of one that it can.
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
			invalid.Add("create_as_recurrent", messages.NotInList)
			return
		}
		f.RecurrencePeriod = &f.CreateAsRecurrent
	case f.CreateAsParcelled != "":
		if f.CreateAsParcelled != Monthly {
			invalid.Add("create_as_parcelled", messages.NotInList)
			return
		}
		if f.NumberOfParcels == nil {
			invalid.Add("number_of_parcels", messages.Blank)
			return
		}
		if n := *f.NumberOfParcels; n < minParcels || n > maxParcels {
			invalid.Add("number_of_parcels", messages.NotInRange)
			return
		}
		f.RecurrencePeriod = &f.CreateAsParcelled
	default:
		f.NumberOfParcels = nil
	}
	if rows := f.Occurrences(); !f.DueDate.IsZero() && (rows[len(rows)-1].DueDate.IsZero() || rows[len(rows)-1].CompetencyMonth.IsZero()) {
		invalid.Add("due_date", messages.NotInRange)
	}
}

// Occurrence is what the accounts of a series differ in.
type Occurrence struct {
	DueDate         Date
	CompetencyMonth Month
}

// Occurrences are the rows that the creation of the account makes, in order, one
// for an account that begins no series. The days are those of the first, or the
// last of a shorter month. Recurrent accounts belong to the month of their own
// due date as the first does to its, parcels to that of the first.
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
