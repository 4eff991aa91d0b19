package websearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/secret"
)

// The bounds of an answer. One that is longer is refused; of what a service says
// about a failure, only the beginning is shown.
const (
	maxAnswer = 4 << 20 // bytes
	maxSaid   = 300     // bytes
)

// ask has one service search. No error holds the key.
func (s *searcher) ask(ctx context.Context, to service, q query) ([]Result, error) {
	limited, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	key := strings.TrimSpace(s.opts.Key(to.name))
	req, err := to.request(limited, q, key)
	if err != nil {
		return nil, errors.New("the request cannot be made; is the key one line?")
	}
	req.Header.Set("User-Agent", s.opts.Agent)
	resp, err := s.client.Do(req)
	if err != nil {
		if limited.Err() != nil {
			return nil, fmt.Errorf("no answer within %v", timeout)
		}
		if outer := new(url.Error); errors.As(err, &outer) {
			err = outer.Err
		}
		return nil, errors.New(without(key, err.Error()))
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted of it
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case limited.Err() != nil:
		return nil, fmt.Errorf("no whole answer within %v", timeout)
	case err != nil:
		return nil, errors.New(without(key, err.Error()))
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answered %d %s%s", resp.StatusCode, http.StatusText(resp.StatusCode), said(key, body))
	}
	results, err := to.results(body)
	if err != nil {
		return nil, errors.New("the answer is not what this service is known to send")
	}
	return results, nil
}

// said is what the body of a failure says, for the end of a sentence.
func said(key string, body []byte) string {
	text, _ := file.Printable(body)
	if text = words(without(key, text), maxSaid); text == "" {
		return ""
	}
	return ": " + text
}

// without takes the key out, however it is written there, and what logs in to a
// proxy.
func without(key, text string) string { return secret.Hide(text, []string{key}) }

// get is a request by URL, whose header holds the key.
func get(ctx context.Context, address string, values url.Values, header, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(header, key)
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// post is a request with a body.
func post(ctx context.Context, address string, body any, header, key string) (*http.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set(header, key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// marks are what services put around the words that were found.
var marks = strings.NewReplacer("<strong>", "", "</strong>", "", "<b>", "", "</b>", "", "<em>", "", "</em>", "", "<mark>", "", "</mark>", "")

// words is a text of a service in one line of at most limit bytes.
func words(text string, limit int) string {
	text = strings.Join(strings.Fields(html.UnescapeString(marks.Replace(text))), " ")
	if len(text) > limit {
		return file.Cut(text, limit) + "…"
	}
	return text
}
