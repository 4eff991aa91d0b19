package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// hashLength is how many hex digits tell apart ids that were shortened.
const hashLength = 12

// IDsUpTo returns a CallID for providers that accept the pattern
// ^[a-zA-Z0-9_-]{1,limit}$. What fits stays as it is.
func IDsUpTo(limit int) func(string) string {
	return func(id string) string {
		plain := strings.Map(plainRune, id)
		if plain == id && id != "" && len(id) <= limit {
			return id
		}
		return plain[:min(len(plain), limit-hashLength)] + digest(id)[:hashLength]
	}
}

// IDsOfNine is the CallID of Mistral, which accepts nine letters or digits.
func IDsOfNine(id string) string {
	if len(id) == 9 && !strings.ContainsFunc(id, func(r rune) bool { return r == '-' || plainRune(r) != r || r == '_' }) {
		return id
	}
	return digest(id)[:9]
}

func plainRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
		return r
	default:
		return '_'
	}
}

func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
