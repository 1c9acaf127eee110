package api

import (
	"crypto/sha256"
	"errors"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/throttle"
	"bordero/internal/tokens"
	"bordero/jobs"
	"bordero/storage/members"
)

// authenticate identifies the user by the token of the request: Bearer, or Basic with the token as
// the user name and any password.
func (a *API) authenticate(c *call) error {
	token, _, ok := c.Request.BasicAuth()
	if !ok {
		scheme, rest, _ := strings.Cut(c.GetHeader("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return messages.Unauthorized
		}
		token = strings.TrimSpace(rest)
	}
	if token == "" {
		return messages.Unauthorized
	}
	client := throttle.Client(c.Request, a.Trusted)
	err := a.lookUp(c, token, client)
	switch {
	case errors.Is(err, members.ErrNoToken):
		a.knownGoodTokens.forget(token)
		if !a.Guesses.Attempt(client) {
			return a.tooManyGuesses(c)
		}
		return messages.Unauthorized
	case err != nil:
		return err
	}
	a.knownGoodTokens.add(token)
	c.token = token
	by := jobs.By{UserID: c.userID, Token: members.TokenPrefix(token)}
	c.Request = c.Request.WithContext(jobs.WithAuthor(c.ctx(), by))
	requestMetaFrom(c.ctx()).logged.by(by, c.accesses)
	return nil
}

// lookUp finds the user and the rights of a token. Many clients may share an address, so a
// throttled address still gets its valid tokens served (decision 0013). A token that was valid
// before is looked up at once; all other tokens share a few places, which spares the database. A
// token without a checksum is a guess or from an earlier release: it does not delay tokens with a
// checksum.
func (a *API) lookUp(c *call, token string, client netip.Addr) error {
	find := func() (err error) {
		c.userID, c.accesses, err = members.Accesses(c.ctx(), a.Store, token)
		return err
	}
	switch {
	case !a.Guesses.Spent(client), a.knownGoodTokens.has(token):
		return find()
	case !tokens.Possible(token):
		return members.ErrNoToken
	}
	return a.Guesses.Turn(c.ctx(), !tokens.Checked(token), find)
}

// tooManyGuesses refuses an invalid token of an address that has sent too many invalid tokens.
func (a *API) tooManyGuesses(c *call) error {
	return messages.TooManyGuesses.With(messages.Seconds(a.awaitGuess(c)))
}

// awaitGuess sets the header with the seconds until the client may send an invalid token again, and returns them.
func (a *API) awaitGuess(c *call) int {
	wait := int(math.Ceil(a.Guesses.Wait().Seconds()))
	c.Writer.Header().Set("Retry-After", strconv.Itoa(wait))
	return wait
}

// knownTokens is the set of tokens, as hashes, that were valid at their last lookup. Being in the
// set only gives a token precedence: every request looks its token up again.
type knownTokens struct {
	mu   sync.RWMutex
	seen map[[sha256.Size]byte]bool
}

// maxKnownTokens limits the set, which is cleared when it is full.
const maxKnownTokens = 10_000

func newKnownTokens() *knownTokens { return &knownTokens{seen: map[[sha256.Size]byte]bool{}} }

func (p *knownTokens) has(token string) bool {
	sum := sha256.Sum256([]byte(token))
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.seen[sum]
}

func (p *knownTokens) add(token string) {
	if p.has(token) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) >= maxKnownTokens {
		clear(p.seen)
	}
	p.seen[sha256.Sum256([]byte(token))] = true
}

func (p *knownTokens) forget(token string) {
	if !p.has(token) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.seen, sha256.Sum256([]byte(token)))
}

// accountHeaders lists the headers that choose the account. Proxies drop names with an underscore.
var accountHeaders = []string{"ACCOUNT_ID", "Account-Id", "X-Account-Id"}

// chooseAccount sets the account of the call: the account that the header names, or the only
// account of the token. A call that has an account keeps it.
func (a *API) chooseAccount(c *call) error {
	for _, name := range accountHeaders {
		if text := c.GetHeader(name); text != "" {
			id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			return c.choose(messages.UnknownAccount, func(access finance.Access) bool {
				return err == nil && access.AccountID == id
			})
		}
	}
	before := c.access.AccountID
	return c.choose(messages.NoAccount, func(access finance.Access) bool {
		return access.AccountID == before || before == 0 && len(c.accesses) == 1
	})
}

// rightsHold is how long a request relies on the rights of its token before it reads them again.
const rightsHold = time.Second

// renewRights is authorizeAgain if the rights were read more than rightsHold ago: a body may take hours to arrive, and
// the client of a sheet may be slow.
func (a *API) renewRights(c *call) error {
	if a.now().Sub(c.authorized) <= rightsHold {
		return nil
	}
	return a.authorizeAgain(c)
}

// authorizeAgain reads the rights of the token again. A request that has waited, or sent its body
// for long, may have lost them.
func (a *API) authorizeAgain(c *call) (err error) {
	c.userID, c.accesses, err = members.Accesses(c.ctx(), a.Store, c.token)
	if errors.Is(err, members.ErrNoToken) {
		return messages.Unauthorized
	}
	if err != nil {
		return err
	}
	entity := c.entityID // a write that locks the entity itself has cleared entityID
	err = a.authorize(c)
	c.entityID = entity
	return err
}

// accountIDs returns the ids of the accounts that the token opens.
func (c *call) accountIDs() []int64 {
	ids := make([]int64, 0, len(c.accesses))
	for _, access := range c.accesses {
		ids = append(ids, access.AccountID)
	}
	return ids
}

func (c *call) choose(otherwise *messages.Fault, wanted func(finance.Access) bool) error {
	for _, access := range c.accesses {
		if wanted(access) {
			c.access = access
			requestMetaFrom(c.ctx()).logged.accountID = access.AccountID
			return nil
		}
	}
	if len(c.accesses) == 0 {
		otherwise = otherwise.Hinted(messages.OpensNoAccount)
	}
	accounts, err := c.api.Store.AccountNames(c.ctx(), c.accountIDs())
	if err != nil {
		return err
	}
	return noAccount{otherwise, accounts}
}

// challenge sets the header that asks a client for its token.
func challenge(h http.Header) { h.Set("WWW-Authenticate", `Basic realm="bordero"`) }
