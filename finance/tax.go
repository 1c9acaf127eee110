package finance

// Tax is a tax that customers withhold (OpenAPI: Tax).
type Tax struct {
	ID   int64
	Name string
}

// Taxes lists the taxes by the ids that clients use, and the two that replace others from 2026 on
// (decision 0008).
var Taxes = []Tax{
	{1, "Outros"}, {2, "COFINS"}, {3, "CSLL"}, {4, "ICMS"}, {5, "INSS"}, {6, "IOF"}, {7, "IPI"}, {8, "IRRF"},
	{9, "ISS"}, {10, "PIS"},
	{11, "IRPJ"}, {12, "CBS"}, {13, "IBS"},
}
