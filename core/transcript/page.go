package transcript

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/fault"
)

// DefaultPage and MaxPage are how many sessions a page has when no number is
// asked for, and at most; a larger number is cut to that.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// errCursor means that a cursor is not one that Page returned.
var errCursor = fault.New(fault.Invalid, "Invalid cursor")

// A Listing is one page of the list of sessions.
type Listing struct {
	Sessions []Summary
	Next     string // cursor of the next page, "" after the last one
	Skipped  int    // files that were passed over since they are no sessions
}

// Page lists the sessions in folders, the last changed first, those after cursor;
// "" is the beginning. All files are looked at, but only the sessions of the page
// are read, and of these only the ends. Folders that are missing are empty, and
// ones that cannot be read are logged.
//
// A cursor names the last session of its page, so that sessions which come or
// change meanwhile move none to another page; it holds after that one is gone.
func Page(folders []string, cursor string, limit int) (Listing, error) {
	return page(folders, cursor, limit, nil)
}

func page(folders []string, cursor string, limit int, shelf *Shelf) (Listing, error) {
	files := allCandidates(folders)
	if cursor != "" {
		last, err := decodeCursor(cursor)
		if err != nil {
			return Listing{}, err
		}
		from, found := slices.BinarySearchFunc(files, last, order)
		if found {
			from++
		}
		files = files[from:]
	}
	if limit <= 0 {
		limit = DefaultPage
	}
	limit = min(limit, MaxPage)
	page := Listing{Sessions: make([]Summary, 0, min(limit, len(files)))}
	last := candidate{}
	for file, s := range sessions(files, shelf, &page.Skipped) {
		if len(page.Sessions) == limit { // there is one more
			page.Next = encodeCursor(last)
			break
		}
		page.Sessions, last = append(page.Sessions, s), file
	}
	tellSkipped(page.Skipped)
	return page, nil
}

// A cursor is the time in seconds and nanoseconds, then the path.
func encodeCursor(c candidate) string {
	text := fmt.Sprintf("%d:%d:%s", c.modified.Unix(), c.modified.Nanosecond(), c.path)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func decodeCursor(cursor string) (candidate, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.SplitN(string(raw), ":", 3)
	if err != nil || len(parts) != 3 {
		return candidate{}, errCursor
	}
	seconds, err := strconv.ParseInt(parts[0], 10, 64)
	nanos, failed := strconv.ParseUint(parts[1], 10, 32)
	if err != nil || failed != nil {
		return candidate{}, errCursor
	}
	return candidate{path: parts[2], modified: time.Unix(seconds, int64(nanos))}, nil
}
