package frontmatter

import "sync"

// maxMemo bounds the heads that are remembered, in bytes of their text; with more
// all are forgotten.
const maxMemo = 1 << 20

// memo is what heads have been found to say, by their text: each session reads
// the same files, which seldom change, and a head takes long to parse.
var memo struct {
	sync.Mutex
	heads map[string]parsed
	size  int
}

type parsed struct {
	meta Meta
	err  *Error // nil for none
}

// remembered is parse, once for each text. The caller may change the error.
func remembered(head []byte) (Meta, error) {
	memo.Lock()
	known, ok := memo.heads[string(head)]
	memo.Unlock()
	if !ok {
		known.meta, known.err = parse(head)
		memo.Lock()
		if memo.heads == nil || memo.size+len(head) > maxMemo {
			memo.heads, memo.size = map[string]parsed{}, 0
		}
		memo.heads[string(head)] = known
		memo.size += len(head)
		memo.Unlock()
	}
	if known.err != nil {
		own := *known.err
		return Meta{}, &own
	}
	return known.meta, nil
}
