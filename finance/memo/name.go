package memo

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// The first eight digits of its CNPJ, in the registered name of a one-person firm.
	firmNumber = regexp.MustCompile(`^(?:\d{2}\.\d{3}\.\d{3}|\d{8}) `)
	// A CPF, a day, an amount or another number behind a name.
	numbersBehind = regexp.MustCompile(`(?: (?:[\d./-]{5,}|\d+[.,]\d{2}))+$`)
	accountBehind = regexp.MustCompile(`(?i) (?:ag|ag.ncia|conta|cta|c/c|cc)[.:]* *\d.*$`)
	// Part of a number, or of an identifier.
	code = regexp.MustCompile(`\d{5}|[0-9A-Za-z]{25}`)
)

// notNames are words, folded, with which banks begin what follows a kind of movement and is no name.
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
	name := strings.Join(strings.Fields(text), " ")
	if strings.ContainsAny(name, "0123456789") {
		name = accountBehind.ReplaceAllString(name, "")
		name = firmNumber.ReplaceAllString(name, "")
		name = numbersBehind.ReplaceAllString(name, "")
		if code.MatchString(name) {
			return ""
		}
	}
	name = strings.Trim(name, ` -–|:;,"'/*`)
	first, _, _ := strings.Cut(newLine(name).folded, " ")
	if notNames[strings.Trim(first, ".:=-")] || strings.ContainsAny(name, "@_") || !hasLetters(name) {
		return ""
	}
	return name
}

// hasLetters reports whether the text has two letters.
func hasLetters(text string) bool {
	first := strings.IndexFunc(text, unicode.IsLetter)
	return first >= 0 && first < strings.LastIndexFunc(text, unicode.IsLetter)
}
