package operators

// MeasureAll is measureAll.
var MeasureAll = measureAll
