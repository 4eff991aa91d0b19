package veil

import (
	"strings"

	"veyyon.dev/veyyon/core/secret"
)

// restorer puts the secrets back into an answer, piece by piece. It implements
// model.Filter.
type restorer struct {
	veil *Veil
	rest string // what may be the beginning of a placeholder
}

// Next implements model.Filter.
func (r *restorer) Next(delta string, inJSON bool) string {
	if r.rest == "" && strings.IndexByte(delta, '#') < 0 {
		return delta
	}
	r.veil.mu.Lock()
	defer r.veil.mu.Unlock()
	text, rest := r.veil.restore(r.rest+delta, inJSON)
	r.rest = rest
	return text
}

// Rest implements model.Filter.
func (r *restorer) Rest() string {
	rest := r.rest
	r.rest = ""
	return rest
}

// letters are those of a placeholder, between two #.
const letters = 4

// restore puts secrets into the places of their placeholders; rest is the end of
// the text that may be the beginning of one. The caller holds mu.
func (v *Veil) restore(text string, inJSON bool) (done, rest string) {
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '#')
		if at < 0 {
			out.WriteString(text)
			return out.String(), ""
		}
		out.WriteString(text[:at])
		text = text[at:]
		n := 1
		for n < len(text) && n <= letters && (text[n] >= 'A' && text[n] <= 'Z' || text[n] >= '0' && text[n] <= '9') {
			n++
		}
		if n == len(text) {
			return out.String(), text
		}
		if meant := v.meaning[text[:n+1]]; meant != "" {
			if inJSON {
				literal := secret.Quoted(meant)
				meant = string(literal[1 : len(literal)-1])
			}
			out.WriteString(meant)
			text = text[n+1:]
			continue
		}
		out.WriteString(text[:n]) // of these, only the first is a #
		text = text[n:]
	}
}
