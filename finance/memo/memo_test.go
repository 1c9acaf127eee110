package memo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"bordero/finance/taxid"

	"github.com/google/go-cmp/cmp"
)

// TestDoubt reads texts that are easily mistaken.
func TestDoubt(t *testing.T) {
	t.Parallel()
	const e2e, d2d = "E60701190202604150244DY58VMRPQY1", "D60701190202604150244DY58VMRPQY1"
	for text, want := range map[string]Payment{
		"": {},
		// Identifiers of a Pix.
		"PIX RECEBIDO " + e2e + " ANA LIMA":                   {EndToEndID: e2e, CounterpartName: "ANA LIMA"},
		"PIX RECEBIDO " + e2e + " " + e2e:                     {EndToEndID: e2e},
		"PIX RECEBIDO " + e2e + " " + d2d:                     {},
		"PIX RECEBIDO " + e2e[:31]:                            {},
		"PIX RECEBIDO E60701190201904150244DY58VMR":           {},
		"PIX RECEBIDO " + strings.ToLower(e2e):                {},
		"PIX RECEBIDO E60701190202613150244DY58VMRPQY1":       {},
		"PIX RECEBIDO TXID: PEDIDO ANA LIMA":                  {TxID: "PEDIDO", CounterpartName: "ANA LIMA"},
		"PIX RECEBIDO TXID PEDIDO":                            {},
		"PIX RECEBIDO TX ID 7978c0c97ea847e78e8849634473c1f1": {TxID: "7978c0c97ea847e78e8849634473c1f1"},
		"PIX RECEBIDO TXID=" + strings.Repeat("a1", 18):       {},
		"PIX RECEBIDO txid=***":                               {},
		"PIX RECEBIDO 7978c0c97ea847e78e8849634473c1f1":       {},
		"PIX RECEBIDO 0f8fad5b-d9cb-469f-a165-70867728950e":   {},
		"NF-E 35260812345678000195550010000001231000001234":   {},
		"34191790010104351004791020150008291070026000":        {},
		// Documents.
		"PIX RECEBIDO ANA LIMA 529.982.247-25 2339.59":    {"", "", "ANA LIMA", "52998224725"},
		"PIX RECEBIDO ANA LIMA 529.982.247-24":            {CounterpartName: "ANA LIMA"},
		"Pix recebido - Ana Lima 52998224725":             {"", "", "Ana Lima", "52998224725"},
		"TED RECEBIDA DE ANA LIMA CPF 529.982.247-25":     {"", "", "ANA LIMA", "52998224725"},
		"PIX RECEBIDO 11111111111 ANA LIMA":               {CounterpartName: "ANA LIMA"},
		"PIX RECEBIDO 000.000.000-00":                     {},
		"PIX RECEBIDO 12ABC34501DE35 EMPRESA ALFA":        {"", "", "EMPRESA ALFA", "12ABC34501DE35"},
		"pix recebido 12.abc.345/01de-35 empresa alfa":    {"", "", "empresa alfa", "12ABC34501DE35"},
		"PIX RECEBIDO 00052998224725 ANA LIMA":            {"", "", "ANA LIMA", "52998224725"},
		"PIX RECEBIDO 00000000000191 BANCO DO BRASIL":     {"", "", "BANCO DO BRASIL", "00000000000191"},
		"TRANSF ENTRE 529.982.247-25 E 390.533.447-05":    {},
		"QUALQUER TEXTO 529.982.247-25":                   {CounterpartDocument: "52998224725"},
		"CONTA 529.982.247-25":                            {},
		"CHAVE 52998224725":                               {},
		"DA VIVO-SP 52998224725":                          {},
		"COMPRA CARTAO 5555********1234":                  {},
		"PIX RECEBIDO ANA LIMA ***.982.247-*":             {"", "", "ANA LIMA", "***982247**"},
		"DEB PIX CHAVE | Alfa Embalagen | **091.781/0***": {"", "", "Alfa Embalagen", "**0917810*****"},
		// Names.
		"PIX RECEBIDO":                               {},
		"PIX RECEBIDO - OUTRA IF":                    {},
		"PIX ENVIADO CHAVE ana@exemplo.com.br":       {},
		"PIX ENVIADO ana@exemplo.com.br":             {},
		"PIX ENVIADO 12/10":                          {},
		"PIX ENVIADO ANA LIMA 12/10":                 {CounterpartName: "ANA LIMA"},
		"PIX ENVIADO ANA   LIMA AG 0912 C/C 12345-6": {CounterpartName: "ANA LIMA"},
		"PIX RECEBIDO 28.948.125 ANA LIMA":           {CounterpartName: "ANA LIMA"},
		"PIX TRANSF  28.948.25/10":                   {},
		"PIX RECEBIDO 99 TECNOLOGIA LTDA":            {CounterpartName: "99 TECNOLOGIA LTDA"},
		`Pix recebido: "Cp :18236120-null"`:          {},
		"Transferência enviada|Antônia Conceição":    {CounterpartName: "Antônia Conceição"},
		"Transferência Recebida - JOÃO G - ME - 11.444.777/0001-61 - NU PAGAMENTOS": {
			"", "", "JOÃO G - ME", "11444777000161"},
		"00318 TED-T ELET DISP - DEST.ELEVADORES LIMA LTDA": {CounterpartName: "ELEVADORES LIMA LTDA"},
		"00412 TRANSF AUTORIZ - ANA LIMA":                   {CounterpartName: "ANA LIMA"},
		"TARIFA PIX ENVIADO":                                {},
		"TEXTO \xff\xfe | | -":                              {},
	} {
		if diff := cmp.Diff(want, Read(Text{Description: text})); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	const e2e = "E60701190202604150244DY58VMRPQY1"
	added := Text{Description: "PIX ENVIADO ANA LIMA PIX_DEB", References: []string{"PIX_DEB"}}
	if got := Read(added); got.CounterpartName != "ANA LIMA" {
		t.Errorf("%+v", got)
	}
	for reference, want := range map[string]Payment{
		e2e:                                {EndToEndID: e2e},
		"52998224725":                      {}, // the number of any document
		"PIX_CRED  52998224725 ANA LIMA-4": {"", "", "ANA LIMA", "52998224725"},
		"PIX_CRED  52998224724 ANA LIMA-4": {CounterpartName: "ANA LIMA"},
		"529.982.247-25":                   {CounterpartDocument: "52998224725"},
		"11.416.027.758.012":               {},
	} {
		got := Read(Text{Description: "RECEBIMENTO PIX", References: []string{"", reference}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", reference, diff)
		}
	}
}

// TestAccountsAreNoDocuments puts numbers with the check digits of a CPF where banks put accounts.
func TestAccountsAreNoDocuments(t *testing.T) {
	t.Parallel()
	places := []string{
		"Transferência recebida pelo Pix - ANA LIMA - •••.123.456-•• - NU PAGAMENTOS - IP (0260) Agência: 1 Conta: %s",
		"Transferência recebida pelo Pix - ANA LIMA - •••.123.456-•• - CAIXA (0104) Agência: 2185 Conta: %s-9",
		"Transferência Recebida - ANA LIMA - NU PAGAMENTOS - IP (0260) Agência: 1 Conta: %s",
		`Pix recebido: "00019 %s ANA LIMA"`,
		`Transferencia recebida: "341 9 %s ANA LIMA"`,
		`ANA LIMA Boleto de cobranca recebido: "112/%s"`,
		"TED RECEBIDA PORTABILIDADE - 033 3461 %s ANA LIMA",
		"Transferência enviada - 05/06 3222 %s-7 ANA LIMA",
		"TBI 0726.%s ANA",
		"TBI 0726.41321-4 %s",
		"TED 033.0001 %s",
		"TRANSF CONTAS            413963DE: 8638.%s",
		"TRANSF VALORES P/C/C MESMO TITULAR PARA: 2271.13.%s",
		"DA  VIVO-SP %s", "BKI TELEMAR OI %s", "TEL %s", "RDCARD MCDBTO %s", "PAGAMENTO A FORNECEDORES IGBN %s",
		"TED ENVIADA AG 0912 CONTA %s", "TED ENVIADA AG 0912 C/C %s ANA LIMA", "PIX ENVIADO CONTA %s ANA LIMA",
		"PIX RECEBIDO ANA LIMA AG 1 CC %s", "PIX RECEBIDO ANA LIMA 0912 %s", "TED RECEBIDA 341 0912 %s ANA LIMA",
		"TED RECEBIDA 341.0912 %s ANA LIMA", "PIX ENVIADO CHAVE %s", "REPASSE PAGAMENTO: %s DE ANA LIMA",
		"CREDITO COBRANCA %s", "PIX RECEBIDO ANA LIMA %s-4", "PIX RECEBIDO 0912/%s", "LIQUIDACAO TITULO 748/%s",
	}
	const seed = 57
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		account := taxid.Complete(fmt.Sprintf("%09d", random.IntN(1e9)))
		for _, place := range places {
			text := fmt.Sprintf(place, account)
			for _, bank := range bankNames {
				got := Read(Text{bank, text, []string{account}})
				if got.CounterpartDocument != "" && got.CounterpartDocument != "***123456**" {
					t.Fatalf("bank %d, %q: %+v", bank, text, got)
				}
			}
		}
	}
}

// FuzzRead checks what holds for any text.
func FuzzRead(f *testing.F) {
	for _, l := range labelledTexts(f) {
		f.Add(l.text.Bank, l.text.Description, l.text.References[0])
	}
	f.Fuzz(func(t *testing.T, bank int64, description, reference string) {
		p := Read(Text{bank, description, []string{reference}})
		if p.EndToEndID != "" && !endToEndID.MatchString(p.EndToEndID) || len(p.TxID) > 35 {
			t.Errorf("%+v", p)
		}
		name := strings.Join(strings.Fields(p.CounterpartName), " ")
		if name != p.CounterpartName || !utf8.ValidString(name) || len(name) > 4*maxText ||
			name != "" && !hasLetters(name) {
			t.Errorf("%+v", p)
		}
		switch d := p.CounterpartDocument; {
		case d == "", taxid.Valid(d) && taxid.Compact(d) == d:
		case (len(d) == 11 || len(d) == 14) && strings.HasPrefix(d, "**") && strings.Trim(d, "0123456789*") == "":
		default:
			t.Errorf("%+v", p)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	texts := labelledTexts(b)
	for b.Loop() {
		for _, l := range texts {
			Read(l.text)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(texts)), "ns/text")
}
