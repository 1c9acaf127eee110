package rpc

import (
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/json"
	"fmt"
)

// Answers are sealed for the process that asks (RFC 9180), because Redis, its copies on disk and
// its replicas show them, and an answer may be an address that opens a file. The seal does not
// prove the sender of an answer: the public key is in Redis too.
//
// A process of an earlier release sends no key and gets a plain answer.

func kem() hpke.KEM { return hpke.DHKEM(ecdh.X25519()) }

// seal returns the answer, readable only with the private key of the question's public key, and
// only as the answer to that question.
func seal(q question, r reply) (reply, error) {
	if len(q.Key) == 0 {
		return r, nil
	}
	key, err := kem().NewPublicKey(q.Key)
	if err != nil {
		return reply{}, fmt.Errorf("seal: %w", err)
	}
	plain, err := json.Marshal(r)
	if err != nil {
		return reply{}, err
	}
	sealed, err := hpke.Seal(key, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), []byte(q.Reply), plain)
	if err != nil {
		return reply{}, fmt.Errorf("seal: %w", err)
	}
	return reply{Sealed: sealed}, nil
}

// unseal returns the reply to the question that named the list as its reply's. One of an earlier
// release is plain.
func (c *Client) unseal(list string, r reply) (reply, error) {
	if len(r.Sealed) == 0 {
		return r, nil
	}
	plain, err := hpke.Open(c.key, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), []byte(list), r.Sealed)
	if err != nil {
		return reply{}, fmt.Errorf("unseal: %w", err)
	}
	var opened reply
	if err := json.Unmarshal(plain, &opened); err != nil {
		return reply{}, fmt.Errorf("unseal: %w", err)
	}
	return opened, nil
}
