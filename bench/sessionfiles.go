package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/transcript"
)

// sessionsBegan is when the sessions of these scenarios began.
var sessionsBegan = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// sessionsOf makes the folder for sessions of the process's working folder.
func (p *process) sessionsOf() (string, error) {
	dir := transcript.Dir(sessionsRoot(p.home()), p.work())
	return dir, os.MkdirAll(dir, 0o700)
}

// A sessionWriter writes a session as this server does. Its first error stays,
// and is that of the last flush.
type sessionWriter struct {
	*bufio.Writer
	at     time.Time
	parent string
	n      int // entries so far
}

// newSessionWriter begins session number n; cwd is its working folder.
func newSessionWriter(w io.Writer, n int, cwd string) *sessionWriter {
	s := &sessionWriter{Writer: bufio.NewWriterSize(w, 256<<10), at: sessionsBegan.Add(time.Duration(n) * time.Hour), parent: "null"}
	title := fmt.Sprintf(`{"type":"title","v":1,"title":"Session %d","source":"auto","updatedAt":%q,"pad":"`, n, s.stamp())
	_, _ = fmt.Fprintf(s, "%s%s\"}\n", title, strings.Repeat(" ", 256-len(title)-len("\"}\n")))
	_, _ = fmt.Fprintf(s, `{"type":"session","version":3,"id":"bench-session-%d","timestamp":%q,"cwd":%q}`+"\n", n, s.stamp(), cwd)
	return s
}

func (s *sessionWriter) stamp() string { return s.at.Format("2006-01-02T15:04:05.000Z") }

// add writes an entry with this message.
func (s *sessionWriter) add(message string) {
	s.at = s.at.Add(time.Second)
	id := fmt.Sprintf("%08x", s.n)
	_, _ = fmt.Fprintf(s, `{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`+"\n", id, s.parent, s.stamp(), message)
	s.parent, s.n = `"`+id+`"`, s.n+1
}

// round adds a prompt, a call, its result and an answer, with this text in each
// but the call.
func (s *sessionWriter) round(text string) {
	quoted := quote(text)
	at := s.at.UnixMilli()
	answer := func(content, reason string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[%s],"api":"openai-completions","provider":"bench","model":"stream",`+
			`"usage":{"input":900,"output":90,"cacheRead":0,"cacheWrite":0,"totalTokens":990,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},`+
			`"stopReason":%q,"timestamp":%d}`, content, reason, at)
	}
	call := fmt.Sprintf("call_%d", s.n)
	s.add(fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%s}],"timestamp":%d}`, quoted, at))
	s.add(answer(fmt.Sprintf(`{"type":"text","text":%s},{"type":"toolCall","id":%q,"name":"read","arguments":{"path":"main.go","offset":%d}}`, quoted, call, s.n), "toolUse"))
	s.add(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[{"type":"text","text":%s}],"isError":false,"timestamp":%d}`, call, quoted, at))
	s.add(answer(fmt.Sprintf(`{"type":"text","text":%s}`, quoted), "stop"))
}

// quote writes a text as servers of this protocol do, without escapes for HTML.
func quote(text string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string into memory
	return strings.TrimSuffix(out.String(), "\n")
}

// sampleText is so many bytes of what conversations hold: words, code, and now
// and then what JSON must escape.
func sampleText(size int) string {
	const piece = "The loop reads a line, and hands it on:\n\tif err := send(ctx, lines, line); err != nil {\n\t\treturn fmt.Errorf(\"handing on <%s>: %w\", name, err) // naïve\n\t}\n"
	return strings.Repeat(piece, size/len(piece)+1)[:size]
}

// writeSession writes a file with rounds up to about this size, in bytes, and
// returns how many messages it has.
func writeSession(path, cwd string, n, textSize int, size int64) (messages int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // flushed before
	s, text := newSessionWriter(f, n, cwd), sampleText(textSize)
	const texts = 4 // in a round
	for written := int64(0); written < size; written += int64(texts * textSize) {
		s.round(text)
	}
	return s.n, s.Flush()
}

func sessionPath(dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("2026-03-01T09-00-00-000Z_bench-session-%d.jsonl", n))
}
