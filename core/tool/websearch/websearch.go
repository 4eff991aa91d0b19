// Package websearch is the tool that searches the web, by whichever service the
// user has a key for.
package websearch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of a search. A service that takes longer than the first has failed.
// More results than the third are never asked for, and longer texts are cut.
const (
	timeout      = 20 * time.Second
	defaultLimit = 10   // results
	maxLimit     = 20   // results
	maxSnippet   = 1000 // bytes of one result's text
	maxTitle     = 300  // bytes
	maxAddress   = 2000 // bytes; a result with a longer one is left out
)

//go:embed websearch.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "description": "What to search for"},
    "recency": {"type": "string", "enum": ["day", "week", "month", "year"], "description": "Leave out what is older"},
    "limit": {"type": "integer", "minimum": 1, "description": "How many results to give (default 10, most 20)"},
    "num_search_results": {"type": "integer", "minimum": 1, "description": "The same as limit"}
  },
  "required": ["query"],
  "additionalProperties": false
}`

// Options are what the tool works with.
type Options struct {
	// Key is the key of a service, "" when there is none. Each search asks anew.
	Key      func(service string) string
	Chosen   string            // the service to ask; "" or "auto" is whichever has a key
	Excluded []string          // services that are never asked
	Agent    string            // what we call ourselves: the User-Agent
	Carrier  http.RoundTripper // carries requests; nil is the net
}

// Details is what hosts are told of a search.
type Details struct {
	Provider string   `json:"provider"`
	Query    string   `json:"query"`
	Results  []Result `json:"results"` // never nil
	Notes    []string `json:"notes,omitempty"`
}

// A Result is a page that was found.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitempty"`
	Date    string `json:"date,omitempty"` // as the service writes it
}

// New returns the tool.
func New(opts Options) tool.Tool {
	if opts.Carrier == nil {
		opts.Carrier = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true}
	}
	return &searcher{opts: opts, client: &http.Client{
		Transport:     opts.Carrier,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a key goes only where it belongs
	}}
}

type searcher struct {
	opts   Options
	client *http.Client
}

func (s *searcher) Spec() tool.Spec {
	return tool.Spec{Name: "web_search", Label: "Web Search", Description: description, Parameters: json.RawMessage(parameters), Tier: tool.TierRead}
}

// query is what is asked of a service.
type query struct {
	text    string
	recency string // day, week, month, year or ""
	limit   int
	now     time.Time
}

func (s *searcher) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Query   string `json:"query"`
		Recency string `json:"recency"`
		Limit   int    `json:"limit"`
		Number  int    `json:"num_search_results"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	q := query{text: strings.TrimSpace(args.Query), recency: args.Recency, limit: max(args.Limit, args.Number), now: time.Now()}
	if q.text == "" {
		return tool.Output{}, errors.New("the query must not be empty")
	}
	if q.limit <= 0 {
		q.limit = defaultLimit
	}
	q.limit = min(q.limit, maxLimit)
	able, err := s.able()
	if err != nil {
		return tool.Output{}, err
	}
	return s.search(ctx, able, q)
}

// able lists the services to ask, in order.
func (s *searcher) able() (able []service, err error) {
	chosen := s.opts.Chosen
	if chosen == "auto" {
		chosen = ""
	}
	var names []string
	for _, service := range services {
		if chosen != "" && service.name != chosen || chosen == "" && slices.Contains(s.opts.Excluded, service.name) {
			continue
		}
		names = append(names, auth.EnvNames[service.name]...)
		if s.opts.Key(service.name) != "" {
			able = append(able, service)
		}
	}
	switch {
	case len(able) > 0:
		return able, nil
	case len(names) == 0:
		return nil, errors.New("web search: the setting providers.webSearchExclude leaves no service to ask")
	case chosen != "":
		return nil, fault.Newf(fault.NoCredentials, "web search: there is no key for %s, which the setting providers.webSearch chooses; set %s in the environment or in a .env file", chosen, strings.Join(names, " or "))
	}
	return nil, fault.Newf(fault.NoCredentials, "web search needs the key of a search service, and there is none; set one of %s in the environment or in a .env file", strings.Join(names, ", "))
}

// search asks one service after the other until one answers.
func (s *searcher) search(ctx context.Context, able []service, q query) (tool.Output, error) {
	var faults []string
	for _, service := range able {
		results, err := s.ask(ctx, service, q)
		if ctx.Err() != nil {
			return tool.Output{}, context.Cause(ctx)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", service.name, err))
			continue
		}
		d := Details{Provider: service.name, Query: q.text, Results: tidy(results, q.limit), Notes: faults}
		if q.recency != "" && !service.dated {
			d.Notes = append(d.Notes, service.name+" cannot leave out what is older, so these are of any age")
		}
		out := tool.TextOutput(shown(d))
		out.Useless = len(d.Results) == 0
		return tool.Detailed(out, d)
	}
	return tool.Output{}, fmt.Errorf("web search failed: %s", strings.Join(faults, "; "))
}

// tidy leaves the results that can be read, in a form that is short.
func tidy(found []Result, limit int) []Result {
	results := []Result{}
	for _, r := range found {
		if len(results) == limit {
			break
		}
		if (strings.HasPrefix(r.URL, "https://") || strings.HasPrefix(r.URL, "http://")) && len(r.URL) <= maxAddress && !strings.ContainsAny(r.URL, " \n\t") {
			results = append(results, Result{Title: words(r.Title, maxTitle), URL: r.URL, Snippet: words(r.Snippet, maxSnippet), Date: words(r.Date, maxTitle)})
		}
	}
	return results
}

func shown(d Details) string {
	var out strings.Builder
	for _, note := range d.Notes {
		fmt.Fprintf(&out, "[%s]\n", note)
	}
	if len(d.Results) == 0 {
		fmt.Fprintf(&out, "%s found nothing for %q.", d.Provider, d.Query)
	}
	for i, r := range d.Results {
		fmt.Fprintf(&out, "%d. %s\n   %s\n", i+1, r.Title, r.URL)
		if r.Date != "" {
			fmt.Fprintf(&out, "   %s\n", r.Date)
		}
		if r.Snippet != "" {
			fmt.Fprintf(&out, "   %s\n", r.Snippet)
		}
	}
	text, _ := file.Printable([]byte(strings.TrimSuffix(out.String(), "\n")))
	return text
}
