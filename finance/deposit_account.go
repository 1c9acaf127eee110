package finance

import (
	"slices"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Types of deposit accounts (OpenAPI: DepositAccount).
const (
	Checking     = 1
	Cash         = 2
	Investment   = 4
	CardAccount  = 6
	CashRegister = 8
)

// DepositAccountTypes lists all types of deposit accounts.
var DepositAccountTypes = []int64{Checking, Cash, Investment, CardAccount, CashRegister}

// DepositAccount is a bank account, wallet or cash register with transactions (OpenAPI:
// DepositAccount). CalculatedBalance is the sum of the initial balance and every transaction; it
// is read only.
type DepositAccount struct {
	ID                   int64
	AccountID            int64
	EntityID             int64
	ExternalID           *string
	Name                 string
	Description          *string
	DepositAccountTypeID *int64
	BankAccountID        *int64
	CurrencyID           int64
	AccountNumber        *string // if set, only this account's items of a statement are imported
	// SuggestedAccountNumber is the one that its first statement names, while AccountNumber is not set.
	SuggestedAccountNumber  *string
	InitialBalance          *Amount
	CalculatedBalance       Sum
	TransactionsCount       int64
	LastTransactionDate     *Date
	ForceDestroy            bool
	StatementMapping        *StatementMapping
	AutomaticReconciliation bool // the worker reconciles its unmistakable transactions
	ArchivedAt              *time.Time
	LastSession             LastSession // of a cash register
	CreatedAt               time.Time
	UpdatedAt               time.Time
}

// Validate refuses an invalid account, and clears the bank of the cash types.
func (d *DepositAccount) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", d.ExternalID)
	switch t := d.DepositAccountTypeID; {
	case t == nil:
		invalid.Add("deposit_account_type", messages.Blank)
	case !slices.Contains(DepositAccountTypes, *t):
		invalid.Add("deposit_account_type", messages.NotOneOf(DepositAccountTypes))
	case *t == Cash || *t == CashRegister:
		d.BankAccountID = nil
	}
	validateName(&invalid, d.Name)
	if id := d.BankAccountID; id != nil && !slices.ContainsFunc(Banks, func(b Bank) bool { return b.ID == *id }) {
		invalid.Add("bank_account", messages.NotExisting)
	}
	if !slices.ContainsFunc(Currencies, func(c Currency) bool { return c.ID == d.CurrencyID }) {
		invalid.Add("currency", messages.NotExisting)
	}
	validateText(&invalid, "description", d.Description)
	validateText(&invalid, "account_number", d.AccountNumber)
	if n := d.AccountNumber; n != nil && !strings.ContainsFunc(*n, isLetterOrDigit) {
		invalid.Add("account_number", messages.NotValid)
	}
	if d.StatementMapping != nil {
		d.StatementMapping.validate(&invalid)
	}
	return invalid.Err()
}

func isLetterOrDigit(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// SetArchive archives the account at the given time, unless it is archived already, or restores
// it.
func (d *DepositAccount) SetArchive(archive bool, at time.Time) {
	switch {
	case !archive:
		d.ArchivedAt = nil
	case d.ArchivedAt == nil:
		d.ArchivedAt = &at
	}
}

// LogoImageURL returns the relative URL of the image for the account's type.
func (d *DepositAccount) LogoImageURL() string {
	kind := int64(Checking)
	if d.DepositAccountTypeID != nil {
		kind = *d.DepositAccountTypeID
	}
	switch kind {
	case Cash:
		return "logos/logo-money-account.png"
	case Investment:
		return "logos/logo-investment-account.png"
	case CardAccount:
		return "logos/logo-credit-card.png"
	case CashRegister:
		return "logos/logo-cash-register.png"
	default:
		return "logos/logo-bank-account.png"
	}
}

// RegisterSession is the time between one opening and closing of a cash register (OpenAPI:
// RegisterSession).
type RegisterSession struct {
	ID                     int64
	AccountID              int64
	DepositAccountID       int64
	OpenedAt               time.Time
	OpeningResponsibleID   *string
	OpeningResponsibleName *string
	ClosedAt               *time.Time
	ClosingResponsibleID   *string
	ClosingResponsibleName *string
}

// LastSession is the newest session of a cash register; nil within if it was never opened, and for
// other accounts.
type LastSession struct{ *RegisterSession }

// Scan implements sql.Scanner for a session in JSON, or null.
func (l *LastSession) Scan(src any) error {
	l.RegisterSession = nil
	if src == nil {
		return nil
	}
	return scanJSON(src, &l.RegisterSession)
}

// Statuses of a cash register.
const (
	RegisterOpen   = "open"
	RegisterClosed = "closed"
)

// RegisterStatuses lists the statuses of a cash register.
var RegisterStatuses = []string{RegisterOpen, RegisterClosed}

// Status returns the status of the cash register, of which l is the newest session.
func (l LastSession) Status() string {
	if l.RegisterSession != nil && l.ClosedAt == nil {
		return RegisterOpen
	}
	return RegisterClosed
}

// IsRegister reports whether the account is a cash register.
func (d *DepositAccount) IsRegister() bool {
	return d.DepositAccountTypeID != nil && *d.DepositAccountTypeID == CashRegister
}

// Registers refuses an account that is not a cash register.
func (d *DepositAccount) Registers() error {
	if !d.IsRegister() {
		return Refuse("deposit_account_type", messages.NotRegister)
	}
	return nil
}

// Validate refuses texts of the opening that are too long, or of the closing once there is one, and a
// closing that is before the opening.
func (r *RegisterSession) Validate() error {
	var invalid Invalid
	if r.ClosedAt == nil {
		validateText(&invalid, "opening_responsible_id", r.OpeningResponsibleID)
		validateText(&invalid, "opening_responsible_name", r.OpeningResponsibleName)
		return invalid.Err()
	}
	if r.ClosedAt.Before(r.OpenedAt) {
		invalid.Add("closed_at", messages.ClosedBefore)
	}
	validateText(&invalid, "closing_responsible_id", r.ClosingResponsibleID)
	validateText(&invalid, "closing_responsible_name", r.ClosingResponsibleName)
	return invalid.Err()
}

// ErrRegisterClosed refuses the closing of a cash register that is not open.
var ErrRegisterClosed = Refuse(Base, messages.RegisterClosed)
