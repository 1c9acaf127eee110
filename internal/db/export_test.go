package db

var ChangesRows = changesRows
