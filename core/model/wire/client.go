// Package wire is what all provider dialects share: one HTTP request, its
// answer as server-sent events, the watchdog over both, and errors told apart.
package wire

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/model"
)

const (
	// FirstEventTimeout is how long a provider may take until the first event
	// of its answer.
	FirstEventTimeout = 100 * time.Second
	// IdleTimeout is how long a stream may be silent after that. Comments such
	// as ": ping" are silence: a proxy can send them for a model that is dead.
	IdleTimeout = 120 * time.Second

	// trailerTimeout is how long a stream may take to end once the answer is
	// complete; then it is left.
	trailerTimeout = 5 * time.Second
	// drainTimeout is how long the end of a body is waited for, so that the
	// connection can serve the next request.
	drainTimeout = 50 * time.Millisecond
	// errorBodyTimeout is how long the body of an error may take; what has come
	// by then is all of it.
	errorBodyTimeout = 5 * time.Second
	// maxErrorBody bounds how much of an error answer is read, in bytes.
	maxErrorBody = 64 << 10
	// idleConns is how many connections to one provider are kept open.
	idleConns = 16
)

// A Client asks providers over one pool of connections. Safe for concurrent
// use; the fields are set before the first request.
type Client struct {
	HTTP       *http.Client
	FirstEvent time.Duration // 0 waits for ever
	Idle       time.Duration // 0 waits for ever
}

// NewClient returns a client with the usual timeouts. Redirects are not
// followed, since a key must not go where the user did not send it.
func NewClient() *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConns
	transport.ReadBufferSize = readBuffer // what a fast provider has sent comes with few system calls
	transport.DisableCompression = true   // a compressed stream is held back by its compressor
	return &Client{
		HTTP: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		FirstEvent: FirstEventTimeout,
		Idle:       IdleTimeout,
	}
}

// Close closes the connections that serve no request.
func (c *Client) Close() { c.HTTP.CloseIdleConnections() }

// A Call is one request: Body as JSON to URL, by its method JSON if it has one,
// which returns it in parts. What is in Secrets never appears in an error.
type Call struct {
	URL     string
	Header  http.Header
	Secrets []string
	Body    any
	// Waiting, if set, is called before each wait for more of the answer.
	Waiting func()
}

// NewCall returns the call of a request, with the headers of its model.
func NewCall(req *model.Request, address string, body any) Call {
	call := Call{URL: address, Header: http.Header{}, Body: body}
	for name, value := range req.Model.Headers {
		call.Header.Set(name, value)
		call.Secrets = append(call.Secrets, value)
		if fields := strings.Fields(value); len(fields) == 2 { // a word such as Bearer, and what counts
			call.Secrets = append(call.Secrets, fields[1])
		}
	}
	if login := req.Model.Login; login != nil {
		call.login(login)
	}
	return call
}

// login sends the name and the password that the base URL had.
func (c *Call) login(login *url.Userinfo) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return // check tells
	}
	u.User = login
	c.URL = u.String()
	password, _ := login.Password()
	both := login.Username() + ":" + password
	c.Secrets = append(c.Secrets, password, both, base64.StdEncoding.EncodeToString([]byte(both)))
}

// Authorize sends the key in this header, unless the model's own headers
// already hold it or there is no key.
func (c *Call) Authorize(header, prefix, key string) {
	key = strings.TrimSpace(key) // a key read from a file often ends in a newline
	if key != "" && c.Header.Get(header) == "" {
		c.Header.Set(header, prefix+key)
		c.Secrets = append(c.Secrets, key)
	}
}

// State tells how far an answer has come.
type State int

// The states, in the order of an answer.
const (
	Streaming State = iota
	Complete        // nothing is missing, but more may follow, such as token counts
	Finished        // nothing more is wanted
)

// An Answer takes the data of one event after another; the data is good until
// it returns.
type Answer func(data []byte) (State, error)

// Stream makes the request and gives each event to the answer, on the caller's
// goroutine. It returns nil once the answer is complete, the cause of ctx as
// soon as ctx ends (unless the answer is complete by then), or a *model.Error:
// also when the stream ends or falls silent before. Errors of event end it and
// are passed on.
func (c *Client) Stream(ctx context.Context, call Call, event Answer) error {
	life, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := newWatch(c.FirstEvent, cancel)
	defer watch.stop()

	resp, err := c.post(life, call, watch)
	if err != nil {
		return c.explain(ctx, life, call, err)
	}
	defer drain(resp.Body, watch)

	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return call.seal(StatusError(resp.StatusCode, resp.Header, []byte("the body is encoded as "+coding+", which was not asked for")))
	}
	body := &watched{body: resp.Body, watch: watch, waiting: call.Waiting}
	if resp.StatusCode != http.StatusOK || isJSON(resp.Header) {
		watch.allow(errorBodyTimeout)
		raw, err := io.ReadAll(io.LimitReader(body, maxErrorBody))
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return call.seal(StatusError(resp.StatusCode, resp.Header, raw))
	}
	complete, err := c.events(ctx, body, event)
	if complete || err == nil {
		return nil
	}
	return c.explain(ctx, life, call, err)
}

// events reads until the answer is finished or the stream is over.
func (c *Client) events(ctx context.Context, body *watched, event Answer) (complete bool, err error) {
	reader := newEventReader(body)
	for {
		data, err := reader.next()
		if err == nil && ctx.Err() != nil {
			err = ctx.Err() // what is buffered already is not delivered any more
		}
		if errors.Is(err, io.EOF) {
			err = ended(reader)
		}
		if err != nil {
			return complete, err
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		state, err := event(data)
		switch {
		case err != nil:
			return false, err
		case state == Finished:
			return true, nil
		case complete: // what trails does not buy more time
		case state == Complete:
			complete = true
			body.watch.allow(trailerTimeout)
		default:
			body.watch.allow(c.Idle)
		}
	}
}

// ended is the error of a stream that is over. One without any event may have
// been something else, such as the page of a proxy.
func ended(reader *eventReader) *model.Error {
	if reader.started || len(bytes.TrimSpace(reader.stray)) == 0 {
		return dropped(nil)
	}
	failure := StatusError(http.StatusOK, nil, reader.stray)
	if failure.Class == 0 && reader.stray[0] != '{' {
		failure.Class = model.ClassTransient // a page: whoever sent it may be in trouble for a moment
	}
	return failure
}

func (c *Client) post(ctx context.Context, call Call, watch *watch) (*http.Response, error) {
	body, err := encode(call.Body)
	if err != nil {
		return nil, &model.Error{Message: "encoding the request: " + err.Error()}
	}
	if err := call.check(); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, call.URL, http.NoBody)
	if err != nil {
		return nil, &model.Error{Message: "the provider's base URL is not usable"}
	}
	body.of(req)
	req.Header = call.Header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity")
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "veyyon")
	}
	watch.begin()
	defer watch.end()
	return c.HTTP.Do(req)
}

func encode(body any) (parts, error) {
	if own, ok := body.(interface{ JSON() ([][]byte, error) }); ok {
		return own.JSON()
	}
	raw, err := Marshal(body)
	return parts{raw}, err
}

// parts are a body, one after another. A long conversation, most of which is
// known from the last request, is not copied for each.
type parts [][]byte

// of makes them the body of a request, also when it is sent a second time over a
// connection that still lives.
func (p parts) of(req *http.Request) {
	req.ContentLength = 0
	for _, part := range p {
		req.ContentLength += int64(len(part))
	}
	req.GetBody = func() (io.ReadCloser, error) {
		readers := make([]io.Reader, len(p))
		for i, part := range p {
			readers[i] = bytes.NewReader(part)
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}
	req.Body, _ = req.GetBody() // it never fails
}

// check refuses what net/http would refuse with an error that looks like one
// of the network, and so would be retried.
func (c Call) check() error {
	u, err := url.Parse(c.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return &model.Error{Message: "the provider's base URL is not an absolute http or https URL"}
	}
	for name, values := range c.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return &model.Error{Message: "the header " + name + " holds a control character; is the API key right?"}
			}
		}
	}
	return nil
}

// explain turns whatever ended a request into what Stream promises.
func (c *Client) explain(ctx, life context.Context, call Call, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *model.Error
	if life.Err() != nil && errors.As(context.Cause(life), &known) { // the watchdog
		return known
	}
	if errors.As(err, &known) {
		return call.seal(known)
	}
	return call.seal(networkError(call.URL, err))
}

func isJSON(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// drain reads what is left of a body, briefly, and closes it.
func drain(body io.ReadCloser, watch *watch) {
	watch.allow(drainTimeout)
	rest := io.LimitReader(&watched{body: body, watch: watch}, maxErrorBody)
	_, _ = io.Copy(io.Discard, rest) // only for the connection's sake
	_ = body.Close()                 // nothing more is expected of it
}
