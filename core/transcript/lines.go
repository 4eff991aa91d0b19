package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// Line returns the entry as one line of JSON without its end, as it is stored;
// large images are references. It always is a JSON object with the entry's type,
// id and parentId: these replace what the file lacks or has twice, and are all
// that is left of a line that is no JSON.
func (s Snapshot) Line(e *Entry) (json.RawMessage, error) {
	line, err := s.store.line(e)
	if err != nil {
		return nil, err
	}
	return whole(e, line)
}

// Lines is Line for the first of entries: for as many as have no more than
// maxBytes together, but for one at least. It is quicker than one by one, as
// Bodies is.
func (s Snapshot) Lines(entries []*Entry, maxBytes int) ([]json.RawMessage, error) {
	var lines []json.RawMessage
	var stored []*Entry
	var places []int
	size := 0
	for _, e := range entries {
		var line []byte
		more := e.size
		if e.held.Load() != nil {
			var err error
			if line, err = s.Line(e); err != nil {
				return nil, err
			}
			more = len(line)
		}
		if size += more; size > maxBytes && len(lines) > 0 {
			break
		}
		if line == nil {
			stored, places = append(stored, e), append(places, len(lines))
		}
		lines = append(lines, line)
	}
	errs := make([]error, len(stored))
	err := s.store.eachLine(stored, func(i int, line []byte) {
		lines[places[i]], errs[i] = whole(stored[i], bytes.Clone(line))
	})
	return lines, errors.Join(append(errs, err)...)
}

// whole is the line with what the entry is by the index.
func whole(e *Entry, line []byte) (json.RawMessage, error) {
	if !json.Valid(line) {
		head, err := e.head(e.Time)
		return bytes.TrimSuffix(head, []byte("\n")), err
	}
	if !e.mended {
		return line, nil
	}
	head, err := e.head(time.Time{}) // the line may have it, more exactly
	if err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(head, []byte("}\n"))
	eachField(line, func(key, value []byte) {
		switch string(key) {
		case "type", "id", "parentId":
		default:
			out = append(append(append(out, ',', '"'), key...), '"', ':')
			out = append(out, value...)
		}
	})
	return append(out, '}'), nil
}
