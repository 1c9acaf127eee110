package memo

import (
	"strings"
	"unicode"
)

// accountWords are words, folded, before the number of a branch or an account.
var accountWords = words(`AG AG. AG: AGENCIA AGENCIA: CONTA CONTA: CTA CTA. CTA: C/C C/C: CC CC: CONTRATO`)

// notNames are folded words that banks write after the kind of a movement in the place of a name.
var notNames = words(`
	AG AGENCIA AGENDADO AGENDAMENTO AGUARDANDO BOLETO C/C CANCELADO CARTAO CC CHAVE CNPJ COBRANCA CODIGO CONTA
	CONTRATO COPIA CPF CREDITO CTA DEBITO DESCONHECIDO DEVOLUCAO DEVOLVIDO DIF DINAMICO DOC ESTATICO ESTORNO
	EXTERNO FATURA IBC ID INTERNET INTERNO LOTE MANUAL MESMA MESMO NF NOTA NR NULL OUTRA OUTRAS OUTRO OUTROS
	PARCELA PEDIDO PIX PROGRAMADO QR QRCODE QRS RECEBIDA RECEBIDO REF REFERENCIA REFERENTE SALARIO SALARIOS SALDO
	SEM TARIFA TED TERCEIROS TITULARIDADE TRANSF TRANSFERENCIA TXID VALOR VIA
`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// cleanName returns the name in a part of a text; "" if it is none.
func cleanName(text string) string {
	words := strings.Fields(text)
	for i := 1; i < len(words); i++ {
		if digits(words[i][:1]) > 0 && accountWords[newLine(words[i-1]).folded] {
			words = words[:i-1]
		}
	}
	if len(words) > 1 && isFirmNumber(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && isNumber(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for _, word := range words {
		if digits(word) >= 5 { // another number, or a code
			return ""
		}
	}
	name := strings.Trim(strings.Join(words, " "), ` -–|:;,"'/*`)
	first, _, _ := strings.Cut(newLine(name).folded, " ")
	if notNames[strings.Trim(first, ".:=-")] || strings.ContainsAny(name, "@_") || !hasLetters(name) {
		return ""
	}
	return name
}

// isFirmNumber reports whether a word is the first eight digits of a CNPJ, with which the registered
// name of a one-person firm begins.
func isFirmNumber(word string) bool {
	return digits(word) == 8 && strings.Trim(word, "0123456789.") == ""
}

// isNumber reports whether a word is no part of a name but a document, a day, an amount or another number behind it.
func isNumber(word string) bool {
	return strings.Trim(word, "0123456789.,/-") == "" && digits(word) > 0 &&
		(len(word) >= 5 || strings.ContainsAny(word, ".,"))
}

// hasLetters reports whether the text has two letters.
func hasLetters(text string) bool {
	first := strings.IndexFunc(text, unicode.IsLetter)
	return first >= 0 && first < strings.LastIndexFunc(text, unicode.IsLetter)
}
