package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	listPage   = 50 // sessions
	listAsks   = 20 // pages a round
	hugeCount  = 300
	hugeSize   = 30 << 20 // bytes
	smallCount = 30
	smallSize  = 3 << 20 // bytes
	// listText is the size in bytes of each text in the sessions.
	listText = 1500
)

// What the reference reads of each file, in bytes.
const (
	listHead = 4 << 10
	listTail = 32 << 10
)

// runList measures the first page of list_sessions against reading the head and
// the tail of the files on that page: of many huge sessions, whose middle is a
// hole that nothing needs to look into, and of some real ones.
func runList(ctx context.Context, b *bench) (found result, err error) {
	if b.bin == "" {
		return result{}, nil // sessions inside this process have no files
	}
	for _, folder := range []struct {
		metric string
		count  int
		write  func(path, cwd string, n int) error
	}{
		{"page_of_300_huge", hugeCount, writeHuge},
		{"page_of_30_real", smallCount, func(path, cwd string, n int) error {
			_, err := writeSession(path, cwd, n, listText, smallSize)
			return err
		}},
	} {
		rows, err := listOf(ctx, b, folder.metric, folder.count, folder.write)
		if err != nil {
			return found, fmt.Errorf("%s: %w", folder.metric, err)
		}
		found.rows = append(found.rows, rows...)
	}
	return found, nil
}

// listOf measures the page in a folder with so many sessions, also, to inform,
// the one time that the server does not know any of them yet.
func listOf(ctx context.Context, b *bench, metric string, count int, write func(path, cwd string, n int) error) (rows []row, err error) {
	server, err := b.connect(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	dir, err := server.sessionsOf()
	if err != nil {
		return nil, err
	}
	var newest []string // that the page shows
	for n := range count {
		path, changed := sessionPath(dir, n), sessionsBegan.Add(time.Duration(n)*time.Hour)
		if err := errors.Join(write(path, server.work(), n), os.Chtimes(path, changed, changed)); err != nil {
			return nil, err
		}
		if n >= count-listPage {
			newest = append(newest, path)
		}
	}
	cold, err := listPages(server, len(newest), 1)
	if err != nil {
		return nil, err
	}
	s, r, err := b.compare(
		func() (float64, error) { return listPages(server, len(newest), listAsks) },
		func() (float64, error) { return readEnds(newest) })
	return []row{compared("list", metric, s, r, "ms"), compared("list", metric+"_cold", cold, r, "ms")}, err
}

// writeHuge makes a session with a real beginning and a real end.
func writeHuge(path, cwd string, n int) error {
	var head, tail bytes.Buffer
	s := newSessionWriter(&head, n, cwd)
	text := sampleText(listText)
	for s.Buffered() < 2*listHead {
		s.round(text)
	}
	if err := s.Flush(); err != nil {
		return err
	}
	s.Reset(&tail)
	_ = s.WriteByte('\n') // in memory
	for s.Buffered() < 2*listTail {
		s.round(text)
	}
	if err := s.Flush(); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, headErr := f.WriteAt(head.Bytes(), 0)
	_, tailErr := f.WriteAt(tail.Bytes(), hugeSize-int64(tail.Len()))
	return errors.Join(headErr, tailErr, f.Close())
}

// listPages is how long a page takes, in ms, the median of some; it must show so
// many sessions.
func listPages(h *host, sessions, asks int) (float64, error) {
	command := fmt.Appendf(nil, `{"id":"req_1","type":"list_sessions","limit":%d}`+"\n", listPage)
	took := make([]float64, 0, asks)
	for range asks {
		began := time.Now()
		line, err := h.ask(command)
		if err != nil {
			return 0, err
		}
		took = append(took, ms(time.Since(began)))
		if n := bytes.Count(line, []byte(`.jsonl"`)); n != sessions {
			return 0, fmt.Errorf("the page shows %d sessions, not %d: %.300s", n, sessions, line)
		}
	}
	return median(took), nil
}

// readEnds is how long it takes to read the ends of these files, in ms.
func readEnds(paths []string) (float64, error) {
	took := make([]float64, 0, listAsks)
	for range listAsks {
		began := time.Now()
		for _, path := range paths {
			if err := readEnd(path); err != nil {
				return 0, err
			}
		}
		took = append(took, ms(time.Since(began)))
	}
	return median(took), nil
}

func readEnd(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(make([]byte, listHead), 0); err != nil {
		return err
	}
	_, err = f.ReadAt(make([]byte, listTail), info.Size()-listTail)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
