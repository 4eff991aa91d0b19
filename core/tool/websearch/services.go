package websearch

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A service searches the web for those who have its key. Keys are found by its
// name, in core/auth.
type service struct {
	name    string
	dated   bool // it can leave out what is older
	request func(ctx context.Context, q query, key string) (*http.Request, error)
	results func(answer []byte) ([]Result, error)
}

// services are all there are, in the order in which they are asked. Sources: the
// API references of each, as of 2026.
var services = []service{
	{"tavily", true, askTavily, tavilyResults},
	{"brave", true, askBrave, braveResults},
	{"exa", true, askExa, exaResults},
	{"perplexity", true, askPerplexity, perplexityResults},
	{"serper", true, askSerper, serperResults},
	{"kagi", false, askKagi, kagiResults},
	{"parallel", true, askParallel, parallelResults},
	{"jina", false, askJina, jinaResults},
}

// since is the beginning of the time that a recency names.
func (q query) since() time.Time {
	days := map[string]int{"day": 1, "week": 7, "month": 31, "year": 366}[q.recency]
	return q.now.UTC().AddDate(0, 0, -days)
}

// fields is a body that leaves out what is empty.
type fields map[string]any

func (f fields) with(name, value string) fields {
	if value != "" {
		f[name] = value
	}
	return f
}

// collect reads an answer as a T and lists what it holds.
func collect[T any, R any](answer []byte, list func(T) []R, result func(R) Result) ([]Result, error) {
	var read T
	if err := json.Unmarshal(answer, &read); err != nil {
		return nil, err
	}
	var results []Result
	for _, r := range list(read) {
		results = append(results, result(r))
	}
	return results, nil
}

func askTavily(ctx context.Context, q query, key string) (*http.Request, error) {
	body := fields{"query": q.text, "max_results": q.limit}.with("time_range", q.recency)
	return post(ctx, "https://api.tavily.com/search", body, "Authorization", "Bearer "+key)
}

type listed[R any] struct {
	Results []R `json:"results"`
}

func (l listed[R]) list() []R { return l.Results }

type tavilyResult struct {
	Title, URL, Content string
	Published           string `json:"published_date"`
}

func tavilyResults(answer []byte) ([]Result, error) {
	return collect(answer, listed[tavilyResult].list, func(r tavilyResult) Result { return Result{r.Title, r.URL, r.Content, r.Published} })
}

func askBrave(ctx context.Context, q query, key string) (*http.Request, error) {
	values := url.Values{"q": {q.text}, "count": {strconv.Itoa(q.limit)}}
	if q.recency != "" {
		values.Set("freshness", "p"+q.recency[:1])
	}
	return get(ctx, "https://api.search.brave.com/res/v1/web/search", values, "X-Subscription-Token", key)
}

type braveResult struct {
	Title, URL, Description string
	Age                     string `json:"page_age"`
}

func braveResults(answer []byte) ([]Result, error) {
	type found struct {
		Web listed[braveResult] `json:"web"`
	}
	return collect(answer, func(f found) []braveResult { return f.Web.Results }, func(r braveResult) Result { return Result{r.Title, r.URL, r.Description, r.Age} })
}

func askExa(ctx context.Context, q query, key string) (*http.Request, error) {
	body := fields{"query": q.text, "numResults": q.limit, "contents": fields{"text": fields{"maxCharacters": maxSnippet}}}
	if q.recency != "" {
		body["startPublishedDate"] = q.since().Format(time.RFC3339)
	}
	return post(ctx, "https://api.exa.ai/search", body, "x-api-key", key)
}

type exaResult struct{ Title, URL, Text, PublishedDate string }

func exaResults(answer []byte) ([]Result, error) {
	return collect(answer, listed[exaResult].list, func(r exaResult) Result { return Result{r.Title, r.URL, r.Text, r.PublishedDate} })
}

func askPerplexity(ctx context.Context, q query, key string) (*http.Request, error) {
	body := fields{"query": q.text, "max_results": q.limit}.with("search_recency_filter", q.recency)
	return post(ctx, "https://api.perplexity.ai/search", body, "Authorization", "Bearer "+key)
}

func perplexityResults(answer []byte) ([]Result, error) {
	return collect(answer, listed[Result].list, func(r Result) Result { return r })
}

func askSerper(ctx context.Context, q query, key string) (*http.Request, error) {
	body := fields{"q": q.text, "num": q.limit}
	if q.recency != "" {
		body["tbs"] = "qdr:" + q.recency[:1]
	}
	return post(ctx, "https://google.serper.dev/search", body, "X-API-KEY", key)
}

type serperResult struct{ Title, Link, Snippet, Date string }

func serperResults(answer []byte) ([]Result, error) {
	type found struct{ Organic []serperResult }
	return collect(answer, func(f found) []serperResult { return f.Organic }, func(r serperResult) Result { return Result{r.Title, r.Link, r.Snippet, r.Date} })
}

func askKagi(ctx context.Context, q query, key string) (*http.Request, error) {
	return get(ctx, "https://kagi.com/api/v0/search", url.Values{"q": {q.text}, "limit": {strconv.Itoa(q.limit)}}, "Authorization", "Bot "+key)
}

// A kagiResult that is no page has no URL, and is left out for that.
type kagiResult struct{ Title, URL, Snippet, Published string }

func kagiResults(answer []byte) ([]Result, error) {
	type found struct{ Data []kagiResult }
	return collect(answer, func(f found) []kagiResult { return f.Data }, func(r kagiResult) Result { return Result{r.Title, r.URL, r.Snippet, r.Published} })
}

func askParallel(ctx context.Context, q query, key string) (*http.Request, error) {
	settings := fields{"max_results": q.limit}
	if q.recency != "" {
		settings["source_policy"] = fields{"after_date": q.since().Format(time.DateOnly)}
	}
	body := fields{"search_queries": []string{q.text}, "objective": q.text, "advanced_settings": settings}
	return post(ctx, "https://api.parallel.ai/v1/search", body, "x-api-key", key)
}

type parallelResult struct {
	Title, URL string
	Excerpts   []string
	Published  string `json:"publish_date"`
}

func parallelResults(answer []byte) ([]Result, error) {
	return collect(answer, listed[parallelResult].list, func(r parallelResult) Result {
		return Result{r.Title, r.URL, strings.Join(r.Excerpts, " … "), r.Published}
	})
}

func askJina(ctx context.Context, q query, key string) (*http.Request, error) {
	req, err := post(ctx, "https://s.jina.ai/", fields{"q": q.text, "num": q.limit}, "Authorization", "Bearer "+key)
	if err == nil {
		req.Header.Set("X-Respond-With", "no-content") // extracts, not whole pages
	}
	return req, err
}

type jinaResult struct{ Title, URL, Description, Date string }

func jinaResults(answer []byte) ([]Result, error) {
	type found struct{ Data []jinaResult }
	return collect(answer, func(f found) []jinaResult { return f.Data }, func(r jinaResult) Result { return Result{r.Title, r.URL, r.Description, r.Date} })
}
