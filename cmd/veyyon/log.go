package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// maxLog is how many bytes a day's log may hold when a process opens it; a
// larger one is moved to .1 first, and what was there is lost.
const maxLog = 10 << 20

// logTo sends log records to the day's file in dir, as JSON lines. The file is
// opened by the first record; when that fails, records are dropped: there is
// nowhere else they could go without disturbing the host.
func logTo(dir string, level slog.Level) {
	slog.SetDefault(slog.New(&lateHandler{level: level, open: sync.OnceValue(func() slog.Handler { return openLog(dir, level) })}))
}

func openLog(dir string, level slog.Level) slog.Handler {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return slog.DiscardHandler
	}
	name := filepath.Join(dir, "veyyon."+time.Now().Format(time.DateOnly)+".log")
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		_ = os.Rename(name, name+".1") // another process may have moved it just now
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return slog.DiscardHandler
	}
	return slog.NewJSONHandler(file, &slog.HandlerOptions{Level: level}).WithAttrs([]slog.Attr{slog.Int("pid", os.Getpid())})
}

// lateHandler opens the real one when it is first needed.
type lateHandler struct {
	level slog.Level
	open  func() slog.Handler
}

func (h *lateHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *lateHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.open().Handle(ctx, r)
}

func (h *lateHandler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.open().WithAttrs(attrs) }

func (h *lateHandler) WithGroup(name string) slog.Handler { return h.open().WithGroup(name) }
