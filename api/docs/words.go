package docs

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/portuguese"
)

// synonyms are words that readers search for, and the words of the pages that mean the same. Both are plain.
var synonyms = map[string][]string{
	"paginacao":     {"cursor", "per_page"},
	"pagina":        {"cursor", "per_page"},
	"vencida":       {"atrasos", "aging"},
	"vencido":       {"atrasos", "aging"},
	"atrasado":      {"atrasos", "aging"},
	"inadimplencia": {"atrasos", "aging"},
	"dar baixa":     {"pay_many", "receber", "pagar"},
	"baixa":         {"pay_many", "receber", "pagar"},
	"homologacao":   {"sandbox"},
	"id externo":    {"external_id"},
	"codigo":        {"external_id", "code"},
	"sdk":           {"clientes gerados"},
	"typescript":    {"clientes gerados"},
	"php":           {"clientes gerados"},
	"python":        {"clientes gerados"},
	"biblioteca":    {"clientes gerados"},
	"changelog":     {"versoes novidades"},
	"novidade":      {"versoes"},
	"oauth":         {"token seguranca"},
	"autenticacao":  {"token seguranca"},
	"login":         {"token seguranca"},
	"planilha":      {"csv", "xlsx"},
	"excel":         {"xlsx"},
	"exportar":      {"csv", "xlsx"},
	"rate limit":    {"429"},
}

// answers are the sections that readers expect first for a query, which may be inflected: words of other products, and
// the Portuguese names of records, which are English in the reference. Both are plain.
var answers = map[string]string{
	"oauth":           "/docs/seguranca#o-token",
	"autenticacao":    "/docs/seguranca#o-token",
	"login":           "/docs/seguranca#o-token",
	"senha":           "/docs/seguranca#o-token",
	"paginacao":       "/docs/reference#lists",
	"pagina":          "/docs/reference#lists",
	"filtro":          "/docs/reference#lists",
	"limite":          "/docs/reference#versions-repetition-and-limits",
	"idempotencia":    "/docs/reference#versions-repetition-and-limits",
	"categoria":       "/docs/reference/categories",
	"plano de contas": "/docs/reference/categories",
	"pessoa":          "/docs/reference/people",
	"fornecedor":      "/docs/reference/people",
	"venda":           "/docs/reference/sales",
	"transferencia":   "/docs/reference/transfers",
	"orcamento":       "/docs/reference/budgets",
	"classificador":   "/docs/reference/custom_classifiers",
	"centro de custo": "/docs/reference/classification_centers",
	"recorrencia":     "/docs/dinheiro-e-datas#parcelas-e-repeticoes",
	"429":             "/docs/errors#too_many_requests",
	"exportar":        "/docs/ver-o-dinheiro#planilhas",
	"cartao":          "/docs/cartoes",
	"cartoes":         "/docs/cartoes",
	"conta a pagar":   "/docs/reference/payable_accounts",
	"conta a receber": "/docs/reference/receivable_accounts",
}

// answer returns the address of the section that readers expect first for a query; "" for most.
func (k known) answer(words []string) string {
	for phrase, address := range answers {
		if k.same(words, strings.Fields(phrase)) {
			return address
		}
	}
	return ""
}

// known has the stems of the words that were seen so far.
type known map[string][]string

// stems returns the stems of a word, without case and accents. There are two: a reader may leave out the accents, by
// which endings are known.
func (k known) stems(word string) []string {
	if all := k[word]; all != nil {
		return all
	}
	accented := strings.ToLower(word)
	bare := plain(accented)
	for _, ending := range []struct{ bare, accented string }{
		{"coes", "\u00e7\u00f5es"}, {"cao", "\u00e7\u00e3o"}, {"soes", "s\u00f5es"}, {"sao", "s\u00e3o"},
	} {
		if stem, found := strings.CutSuffix(bare, ending.bare); found && bare == accented {
			accented = stem + ending.accented
			break
		}
	}
	var all []string
	for _, text := range []string{accented, bare} {
		env := snowballstem.NewEnv(text)
		portuguese.Stem(env)
		if stem := plain(env.Current()); !slices.Contains(all, stem) {
			all = append(all, stem)
		}
	}
	k[word] = all
	return all
}

// wordsOf returns the words of a text, with case and accents; names such as external_id are words.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}

// of returns the stems of all words of a text.
func (k known) of(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range wordsOf(text) {
		for _, stem := range k.stems(word) {
			all[stem] = true
		}
	}
	return all
}

// meanings returns the words of a query, and then those of the queries that mean the same.
func (k known) meanings(query string) (all [][]string) {
	words := strings.Fields(query)
	words = words[:min(len(words), mostWords)]
	all = [][]string{words}
	for from := range words {
		for to := from + 1; to <= min(from+2, len(words)); to++ {
			for name, others := range synonyms {
				if !k.same(words[from:to], strings.Fields(name)) {
					continue
				}
				for _, other := range others {
					all = append(all, slices.Concat(words[:from], strings.Fields(other), words[to:]))
				}
			}
		}
	}
	return all
}

// same reports whether two phrases differ by inflection alone.
func (k known) same(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool {
		return slices.ContainsFunc(k.stems(x), func(stem string) bool { return slices.Contains(k.stems(y), stem) })
	})
}
