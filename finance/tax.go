package finance

// Tax is a tax that customers withhold (spec.md, Tax).
type Tax struct {
	ID   int64
	Name string
}

// Taxes are those of wire.md, and the two that take the place of others from 2026
// on (decisions.md, Wire).
var Taxes = []Tax{
	{1, "Outros"}, {2, "COFINS"}, {3, "CSLL"}, {4, "ICMS"}, {5, "INSS"}, {6, "IOF"}, {7, "IPI"}, {8, "IRRF"}, {9, "ISS"}, {10, "PIS"},
	{11, "IRPJ"}, {12, "CBS"}, {13, "IBS"},
}
