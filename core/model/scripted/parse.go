package scripted

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model/datafile"
)

// The largest numbers a script may hold; beyond them it is refused.
const (
	maxRepeat = 10_000_000
	maxDelay  = time.Hour
)

// turn is one answer of the model.
type turn struct {
	match  *regexp.Regexp // nil fits everything
	repeat bool
	used   bool // guarded by Play.mu
	usage  message.Usage
	steps  []step
}

// step is one thing that happens in an answer; exactly one of its parts is set.
type step struct {
	text     string
	count    int // of text; deltas
	thinking string
	call     *call
	delay    time.Duration
	stop     message.StopReason
	reply    *reply
	drop     bool
	hang     bool
}

type call struct {
	id, name string
	args     string // a JSON object
}

// reply is an HTTP answer that is no stream.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// turnText and stepText are the file's shape.
type turnText struct {
	Match  string     `json:"match"`
	Repeat bool       `json:"repeat"`
	Usage  *usageText `json:"usage"`
	Steps  []stepText `json:"steps"`
}

type usageText struct {
	In     *int `json:"in"`
	Out    *int `json:"out"`
	Cached int  `json:"cached"`
}

type stepText struct {
	Text       *string           `json:"text"`
	Thinking   *string           `json:"thinking"`
	TextRepeat []any             `json:"text_repeat"`
	Tool       *string           `json:"tool"`
	Args       map[string]any    `json:"args"`
	ID         string            `json:"id"`
	DelayMS    *float64          `json:"delay_ms"`
	Stop       *string           `json:"stop"`
	Status     *int              `json:"status"`
	Headers    map[string]string `json:"headers"`
	Body       any               `json:"body"`
	Drop       *bool             `json:"drop"`
	Hang       *bool             `json:"hang"`
}

// Read reads the script at path and checks all of it. The error names the file,
// the line, the turn and the step.
func Read(path string) (*Play, error) {
	file, err := datafile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("reading script %s: %w", path, err)
	}
	return parse(file)
}

// Parse is Read for a text in memory.
func Parse(name string, text []byte) (*Play, error) { return parse(datafile.New(name, text)) }

func parse(file *datafile.File) (*Play, error) {
	var texts []turnText
	if err := file.CheckKeys(&texts); err != nil {
		return nil, inWords(err)
	}
	turns := make([]*turn, 0, len(texts))
	for i, text := range texts {
		next, key, err := text.turn()
		if err != nil {
			return nil, inWords(file.Faultf(append([]any{i}, key...), "%v", err))
		}
		turns = append(turns, next)
	}
	return &Play{turns: turns}, nil
}

var scriptKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$?\[(\d+)\](?:\.steps\[(\d+)\])?\.?`) })

// inWords says the place of a fault as a script's reader counts: turn 2, step 3.
func inWords(err error) error {
	fault := new(datafile.Fault)
	if !errors.As(err, &fault) {
		return err
	}
	match := scriptKey().FindStringSubmatch(fault.Key)
	if match == nil {
		return err
	}
	place := "turn " + ordinal(match[1])
	if match[2] != "" {
		place += ", step " + ordinal(match[2])
	}
	if rest := fault.Key[len(match[0]):]; rest != "" {
		place += ", " + rest
	}
	located := *fault
	located.Key = place
	return &located
}

// ordinal counts from 1 what an index counts from 0.
func ordinal(index string) string {
	n := 0
	_, _ = fmt.Sscan(index, &n) // digits, by the pattern
	return fmt.Sprint(n + 1)
}

// turn checks a turn; key leads to what is wrong with it.
func (t turnText) turn() (next *turn, key []any, err error) {
	next = &turn{repeat: t.Repeat}
	if t.Match != "" {
		if next.match, err = regexp.Compile(t.Match); err != nil {
			return nil, []any{"match"}, err
		}
	}
	if next.usage, err = t.Usage.usage(); err != nil {
		return nil, []any{"usage"}, err
	}
	for i, text := range t.Steps {
		s, err := text.step()
		if err == nil && s.reply != nil && i > 0 {
			err = errors.New("status can only be the first step")
		}
		if err != nil {
			return nil, []any{"steps", i}, err
		}
		next.steps = append(next.steps, s)
	}
	return next, nil, nil
}

func (u *usageText) usage() (message.Usage, error) {
	in, out, cached := 100, 10, 0
	if u != nil {
		if u.In != nil {
			in = *u.In
		}
		if u.Out != nil {
			out = *u.Out
		}
		cached = u.Cached
	}
	if out < 0 || cached < 0 || cached > in {
		return message.Usage{}, errors.New("counts must not be negative, and cached not more than in")
	}
	return message.Usage{Input: in - cached, Output: out, CacheRead: cached}, nil
}

func (t stepText) step() (step, error) {
	kinds := []string{}
	for _, kind := range []struct {
		name string
		set  bool
	}{
		{"text", t.Text != nil},
		{"thinking", t.Thinking != nil},
		{"text_repeat", t.TextRepeat != nil},
		{"tool", t.Tool != nil},
		{"delay_ms", t.DelayMS != nil},
		{"stop", t.Stop != nil},
		{"status", t.Status != nil},
		{"drop", t.Drop != nil},
		{"hang", t.Hang != nil},
	} {
		if kind.set {
			kinds = append(kinds, kind.name)
		}
	}
	const choice = "text, thinking, text_repeat, tool, delay_ms, stop, status, drop, hang"
	switch {
	case len(kinds) == 0:
		return step{}, errors.New("needs one of " + choice)
	case len(kinds) > 1:
		return step{}, fmt.Errorf("has %s; a step is only one of them", strings.Join(kinds, " and "))
	case t.Tool == nil && (t.Args != nil || t.ID != ""):
		return step{}, errors.New("args and id belong to a tool")
	case t.Status == nil && (t.Body != nil || t.Headers != nil):
		return step{}, errors.New("body and headers belong to a status")
	}
	switch {
	case t.Text != nil:
		return step{text: *t.Text, count: 1}, nil
	case t.Thinking != nil:
		return step{thinking: *t.Thinking}, nil
	case t.TextRepeat != nil:
		return repeated(t.TextRepeat)
	case t.Tool != nil:
		return t.call()
	case t.DelayMS != nil:
		return delayed(*t.DelayMS)
	case t.Stop != nil:
		return stopped(*t.Stop)
	case t.Status != nil:
		return t.answered()
	case t.Drop != nil:
		return step{drop: *t.Drop}, nil
	default:
		return step{hang: *t.Hang}, nil
	}
}

func repeated(parts []any) (step, error) {
	fault := fmt.Errorf("text_repeat is [text, how often], at most %d times", maxRepeat)
	if len(parts) != 2 {
		return step{}, fault
	}
	text, isText := parts[0].(string)
	count, isCount := parts[1].(uint64) // what the YAML package makes of a number without a sign
	if !isText || !isCount || count > maxRepeat {
		return step{}, fault
	}
	return step{text: text, count: int(count)}, nil
}

func (t stepText) call() (step, error) {
	if *t.Tool == "" {
		return step{}, errors.New("tool is the name of a tool")
	}
	args := []byte("{}")
	if t.Args != nil {
		var err error
		if args, err = message.Marshal(t.Args); err != nil {
			return step{}, fmt.Errorf("args cannot be written as JSON: %w", err)
		}
	}
	return step{call: &call{id: t.ID, name: *t.Tool, args: string(args)}}, nil
}

func delayed(ms float64) (step, error) {
	if !(ms >= 0 && ms <= float64(maxDelay.Milliseconds())) { // NaN is neither
		return step{}, fmt.Errorf("delay_ms is between 0 and %d", maxDelay.Milliseconds())
	}
	return step{delay: time.Duration(ms * float64(time.Millisecond))}, nil
}

func stopped(word string) (step, error) {
	reasons := map[string]message.StopReason{
		"stop": message.StopStop, "length": message.StopLength, "tool": message.StopToolUse,
	}
	reason, ok := reasons[word]
	if !ok {
		return step{}, fmt.Errorf("stop is stop, length or tool, not %q", word)
	}
	return step{stop: reason}, nil
}

func (t stepText) answered() (step, error) {
	if *t.Status < 300 || *t.Status > 599 {
		return step{}, fmt.Errorf("status is between 300 and 599, not %d", *t.Status)
	}
	answer := &reply{status: *t.Status, header: http.Header{}, body: []byte(`{"error":{"message":"scripted failure","type":"scripted"}}`)}
	for name, value := range t.Headers {
		answer.header.Set(name, value)
	}
	switch body := t.Body.(type) {
	case nil:
	case string:
		answer.body = []byte(body)
	default:
		raw, err := message.Marshal(body)
		if err != nil {
			return step{}, fmt.Errorf("body cannot be written as JSON: %w", err)
		}
		answer.body = raw
	}
	return step{reply: answer}, nil
}
