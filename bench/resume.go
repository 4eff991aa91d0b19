package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	// resumeText is the size in bytes of each text: a message has about 5 KB.
	resumeText = 4800
	pageAsks   = 10   // first pages a round
	idleAsks   = 2000 // get_state, when nothing else is asked for
)

// runResume measures how soon a long session is back: switch_session against
// one pass over its file that decodes each line, the first page of its messages
// against the same, and how much get_state suffers while a host fetches them
// all, page after page, against its own time when nothing else is asked.
func runResume(ctx context.Context, b *bench) (found result, err error) {
	if b.bin == "" {
		return result{}, nil // sessions inside this process have no files
	}
	server, err := b.connect(ctx, nil)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	dir, err := server.sessionsOf()
	if err != nil {
		return result{}, err
	}
	path := sessionPath(dir, 0)
	messages, err := writeSession(path, server.work(), 0, resumeText, int64(b.pick(100, 25))<<20)
	if err != nil {
		return result{}, err
	}
	before, memoryErr := server.watchMemory()
	switchTook, pass, err := b.compare(
		func() (float64, error) { return server.resume(path) },
		func() (float64, error) { return decodeLines(path) })
	if err != nil {
		return result{}, err
	}
	if memoryErr == nil {
		if mib, err := before.growth(); err == nil {
			defer func() { found.rows = append(found.rows, figure("resume", "peak_memory", mib, "MiB")) }()
		}
	} else if !errors.Is(memoryErr, fs.ErrNotExist) {
		return result{}, memoryErr
	}
	if _, err := server.resume(path); err != nil {
		return result{}, err
	}
	page, err := server.firstPages()
	if err != nil {
		return result{}, err
	}
	found.rows = append(found.rows,
		compared("resume", "switch_session", switchTook, pass, "ms"),
		compared("resume", "first_page", page, pass, "ms"))
	busy, quiet, err := server.statesWhilePaging(messages)
	if err != nil {
		return found, err
	}
	found.rows = append(found.rows,
		compared("resume", "state_p50_meanwhile", busy.percentile(50), quiet.percentile(50), "ms"),
		compared("resume", "state_p99_meanwhile", busy.percentile(99), quiet.percentile(99), "ms"))
	found.curves = []curve{{"resume: get_state while pages are fetched, and idle", busy, quiet}}
	return found, nil
}

// resume leaves the session and comes back to it; it returns how long the
// second takes, in ms, until the session answers for itself.
func (h *host) resume(path string) (float64, error) {
	if _, err := h.ask([]byte(`{"id":"req_1","type":"new_session"}` + "\n")); err != nil {
		return 0, err
	}
	began := time.Now()
	if _, err := h.ask(fmt.Appendf(nil, `{"id":"req_1","type":"switch_session","sessionPath":%q}`+"\n", path)); err != nil {
		return 0, err
	}
	_, err := h.ask([]byte(`{"id":"req_2","type":"get_state"}` + "\n"))
	return ms(time.Since(began)), err
}

// decodeLines is the reference: encoding/json, each line into a map.
func decodeLines(path string) (float64, error) {
	began := time.Now()
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return ms(time.Since(began)), nil
		}
		if err != nil {
			return 0, err
		}
		var entry map[string]any
		if err := json.Unmarshal(line, &entry); err != nil {
			return 0, err
		}
	}
}

// firstPages is how long the first page of messages takes, in ms.
func (h *host) firstPages() (float64, error) {
	took := make([]float64, 0, pageAsks)
	for range pageAsks {
		began := time.Now()
		if _, err := h.ask([]byte(`{"id":"page","type":"get_messages_page"}` + "\n")); err != nil {
			return 0, err
		}
		took = append(took, ms(time.Since(began)))
	}
	return median(took), nil
}

// statesWhilePaging asks for get_state again and again, first alone, then while
// all pages are fetched one after another.
func (h *host) statesWhilePaging(messages int) (busy, quiet *spread, err error) {
	busy, quiet = newSpread(), newSpread()
	if _, err := roundTrips(h, idleAsks, quiet); err != nil {
		return nil, nil, err
	}
	state := []byte(`{"id":"state","type":"get_state"}` + "\n")
	page := []byte(`{"id":"page","type":"get_messages_page"}` + "\n")
	if err := h.send(page); err != nil {
		return nil, nil, err
	}
	asked := time.Now()
	if err := h.send(state); err != nil {
		return nil, nil, err
	}
	pages, seen := true, 0
	for {
		line, err := h.answered()
		if err != nil {
			return nil, nil, err
		}
		var next []byte
		switch {
		case !bytes.Contains(head(line), []byte(`"id":"page"`)):
			busy.add(time.Since(asked))
			if !pages {
				busy.endRound()
				return busy, quiet, nil
			}
			asked, next = time.Now(), state
		default:
			seen += bytes.Count(line, []byte(`"role":"`))
			cursor := cursorOf(line)
			if pages = cursor != ""; !pages {
				if seen != messages {
					return nil, nil, fmt.Errorf("the pages have %d messages, the file %d", seen, messages)
				}
				continue
			}
			next = fmt.Appendf(nil, `{"id":"page","type":"get_messages_page","cursor":%q}`+"\n", cursor)
		}
		if err := h.send(next); err != nil {
			return nil, nil, err
		}
	}
}

// cursorOf is the cursor that a page ends with, "" for the last.
func cursorOf(line []byte) string {
	at := bytes.LastIndex(line, []byte(`"nextCursor":"`))
	if at < 0 {
		return ""
	}
	cursor, _, _ := bytes.Cut(line[at+len(`"nextCursor":"`):], []byte(`"`))
	return string(cursor)
}
