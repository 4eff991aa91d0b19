// Package veil keeps the secrets of the person from models: what is sent has
// placeholders in their places, and what comes back has the secrets again. So
// tools, hosts and transcripts know nothing of it.
//
// Source: facts/platform 10.
package veil

import (
	"context"
	"crypto/rand"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/secret"
)

const (
	// minSecret is how many bytes a secret with a placeholder has at least: a
	// shorter one would be found in ordinary words.
	minSecret = 8
	// minLine is how many bytes a line of a longer secret has that is one of its
	// own: such as a private key, of which a tool shows some lines.
	minLine = 16
	// piece is how many bytes the pieces of a long secret have, which are secrets
	// of their own: tools cut long lines. Less than that may be seen at a cut.
	piece = 24
	// maxPlaceholders bounds what expressions find, in texts; of what they find
	// then no placeholder is kept, so that the text is lost to the model.
	maxPlaceholders = 100_000
	// maxSpelled bounds the texts that are looked for beside the secrets
	// themselves, each about 1 KB in memory: with that many, a secret that comes
	// after is only found whole and as it is. Files of a project may hold any
	// number, of any size.
	maxSpelled = 50_000
)

// note tells models what placeholders are.
const note = "Texts such as #A1B2#, four capital letters or digits between two #, stand for secrets that you are not shown. " +
	"They are none themselves: write them exactly as they are wherever the secret belongs, also in tool calls. What a tool gets is the secret itself."

// A Veil knows the secrets. Safe for concurrent use.
type Veil struct {
	keys    func() []string // what is secret at the moment besides; may be nil
	entries []Entry

	mu       sync.Mutex
	spelled  map[string]string // what stands in the place of a text
	meaning  map[string]string // the text of a placeholder
	replacer *strings.Replacer // of what is spelled, but for what expressions found; nil when it is to be made anew
	plain    []string          // what it looks for
}

// New returns the veil over these entries and over the keys of each moment.
func New(entries []Entry, keys func() []string) *Veil {
	v := &Veil{keys: keys, entries: entries, spelled: map[string]string{}, meaning: map[string]string{}}
	for _, e := range entries {
		if e.expr == nil {
			v.learn(e.Content, e.stand, maxSpelled)
		}
	}
	return v
}

// Over is the provider without sight of the secrets.
func (v *Veil) Over(p model.Provider) model.Provider { return veiled{p, v} }

type veiled struct {
	model.Provider
	veil *Veil
}

// Stream implements model.Provider.
func (p veiled) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	sent := p.veil.hide(req)
	draft.Through(&restorer{veil: p.veil})
	return p.Provider.Stream(ctx, sent, draft)
}

// learn adds a secret in all its spellings, and its parts, as long as there are
// not more than limit texts. The caller holds mu, or is New.
func (v *Veil) learn(text string, stand func(string) string, limit int) {
	for _, part := range parts(text) {
		if len(v.plain) >= limit {
			break
		}
		v.spell(part, stand, limit)
	}
	v.spell(text, stand, limit)
}

func (v *Veil) spell(text string, stand func(string) string, limit int) {
	spellings := []string{text}
	if len(v.plain) < limit {
		spellings = secret.Spellings(text)
	}
	for _, spelling := range spellings {
		if _, known := v.spelled[spelling]; !known {
			v.spelled[spelling] = v.standIn(spelling, stand)
			v.plain = append(v.plain, spelling)
			v.replacer = nil
		}
	}
}

// parts are the parts of a secret that are shown without the rest.
func parts(text string) (parts []string) {
	if strings.ContainsRune(text, '\n') {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= minLine && !strings.HasPrefix(line, "-----") {
				parts = append(parts, line)
			}
		}
		return parts
	}
	for len(text) >= 2*piece {
		if part := text[:piece]; utf8.ValidString(part) {
			parts = append(parts, part)
		}
		text = text[piece:]
	}
	return parts
}

// standIn decides what stands in the place of a text: what stand says, or a
// placeholder when it is nil. The caller holds mu, or is New.
func (v *Veil) standIn(text string, stand func(string) string) string {
	if known, ok := v.spelled[text]; ok {
		return known
	}
	in := ""
	switch {
	case stand != nil:
		in = stand(text)
	case len(v.meaning) >= maxPlaceholders:
		return stars(text)
	default:
		in = v.placeholder()
		v.meaning[in] = text
	}
	v.spelled[text] = in
	return in
}

// placeholder is one that means nothing yet. It is random: one worked out from a
// weak password would tell it to whoever tries all.
func (v *Veil) placeholder() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for {
		var at [letters]byte
		_, _ = rand.Read(at[:]) // it never fails
		for i, n := range at {
			at[i] = alphabet[int(n)%len(alphabet)]
		}
		if p := "#" + string(at[:]) + "#"; v.meaning[p] == "" {
			return p
		}
	}
}

// now is what replaces all secrets that are known at this moment.
func (v *Veil) now() *strings.Replacer {
	var keys []string
	if v.keys != nil {
		keys = v.keys()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, key := range keys {
		if len(key) >= minSecret {
			v.learn(key, nil, math.MaxInt) // they are few, and nobody else's
		}
	}
	if v.replacer == nil {
		slices.SortFunc(v.plain, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
		pairs := make([]string, 0, 2*len(v.plain))
		for _, text := range v.plain {
			pairs = append(pairs, text, v.spelled[text])
		}
		v.replacer = strings.NewReplacer(pairs...)
	}
	return v.replacer
}
