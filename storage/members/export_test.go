package members

// AccessesOfToken is the statement that looks a token, $1, up.
var AccessesOfToken = accessesOfToken
