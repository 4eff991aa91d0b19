package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mirror carries all requests to one server, which is told of whom they were for.
type mirror struct{ server *url.URL }

func (m mirror) RoundTrip(req *http.Request) (*http.Response, error) {
	there := req.Clone(req.Context())
	there.Header.Set("X-Meant-For", req.URL.Host)
	there.URL.Scheme, there.URL.Host = m.server.Scheme, m.server.Host
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(there)
}

func serve(t *testing.T, handle http.HandlerFunc) mirror {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return mirror{at}
}

// failing carries no request.
type failing string

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New(string(f)) }

func keys(of ...string) func(string) string {
	return func(name string) string {
		for _, service := range of {
			if service == name {
				return "key-of-" + name
			}
		}
		return ""
	}
}

func search(ctx context.Context, opts Options, args string) (tool.Output, error) {
	return New(opts).Run(ctx, tool.Call{Args: json.RawMessage(args)})
}

func TestEachServiceIsAskedInItsOwnWay(t *testing.T) {
	for name, c := range map[string]struct{ asked, answer string }{
		"tavily": {
			`POST api.tavily.com/search Bearer key-of-tavily {"max_results":3,"query":"go maps","time_range":"week"}`,
			`{"results": [{"title": "T", "url": "https://x/", "content": "S", "published_date": "D", "score": 0.5}]}`,
		},
		"brave": {
			`GET api.search.brave.com/res/v1/web/search?count=3&freshness=pw&q=go+maps key-of-brave `,
			`{"web": {"results": [{"title": "T", "url": "https://x/", "description": "S", "page_age": "D"}]}}`,
		},
		"exa": {
			`POST api.exa.ai/search key-of-exa {"contents":{"text":{"maxCharacters":1000}},"numResults":3,"query":"go maps","startPublishedDate":"DATE"}`,
			`{"results": [{"title": "T", "url": "https://x/", "text": "S", "publishedDate": "D"}]}`,
		},
		"perplexity": {
			`POST api.perplexity.ai/search Bearer key-of-perplexity {"max_results":3,"query":"go maps","search_recency_filter":"week"}`,
			`{"results": [{"title": "T", "url": "https://x/", "snippet": "S", "date": "D"}]}`,
		},
		"serper": {
			`POST google.serper.dev/search key-of-serper {"num":3,"q":"go maps","tbs":"qdr:w"}`,
			`{"organic": [{"title": "T", "link": "https://x/", "snippet": "S", "date": "D", "position": 1}]}`,
		},
		"kagi": {
			`GET kagi.com/api/v0/search?limit=3&q=go+maps Bot key-of-kagi `,
			`{"data": [{"t": 1, "list": ["go"]}, {"t": 0, "title": "T", "url": "https://x/", "snippet": "S", "published": "D"}]}`,
		},
		"parallel": {
			`POST api.parallel.ai/v1/search key-of-parallel {"advanced_settings":{"max_results":3,"source_policy":{"after_date":"DATE"}},"objective":"go maps","search_queries":["go maps"]}`,
			`{"results": [{"title": "T", "url": "https://x/", "excerpts": ["S"], "publish_date": "D"}]}`,
		},
		"jina": {
			`POST s.jina.ai/ Bearer key-of-jina {"num":3,"q":"go maps"}`,
			`{"code": 200, "data": [{"title": "T", "url": "https://x/", "description": "S", "date": "D"}]}`,
		},
	} {
		asked := ""
		carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			key := r.Header.Get("Authorization") + r.Header.Get("X-Subscription-Token") + r.Header.Get("X-Api-Key")
			asked = r.Method + " " + r.Header.Get("X-Meant-For") + r.URL.String() + " " + key + " " + string(body)
			if agent := r.Header.Get("User-Agent"); agent != "Veyyon/test" {
				t.Errorf("%s: the agent is %q", name, agent)
			}
			_, _ = io.WriteString(w, c.answer)
		})
		out, err := search(t.Context(), Options{Key: keys(name), Agent: "Veyyon/test", Carrier: carrier}, `{"query": " go maps ", "recency": "week", "limit": 3}`)
		if err != nil {
			t.Fatal(name, err)
		}
		week := time.Now().UTC().AddDate(0, 0, -7).Format(time.DateOnly)
		if at := strings.Index(asked, week); at >= 0 { // to the second, or only the day
			end := strings.IndexByte(asked[at:], '"')
			asked = asked[:at] + "DATE" + asked[at+end:]
		}
		if diff := cmp.Diff(c.asked, asked); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var details Details
		if err := json.Unmarshal(out.Details, &details); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Result{{"T", "https://x/", "S", "D"}}, details.Results); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		old := name == "kagi" || name == "jina"
		if got := out.Content.Text(); !strings.HasSuffix(got, "1. T\n   https://x/\n   D\n   S") || strings.Contains(got, "of any age") != old {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(services) != 8 {
		t.Error("a service is not tested")
	}
}

func TestWithoutAKeyTheErrorSaysWhatToSet(t *testing.T) {
	for want, opts := range map[string]Options{
		"web search needs the key of a search service, and there is none; set one of TAVILY_API_KEY, BRAVE_API_KEY, EXA_API_KEY, PERPLEXITY_API_KEY, SERPER_API_KEY, KAGI_API_KEY, PARALLEL_API_KEY, JINA_API_KEY in the environment or in a .env file": {Key: keys(), Chosen: "auto"},
		"web search: there is no key for kagi, which the setting providers.webSearch chooses; set KAGI_API_KEY in the environment or in a .env file":                                                                                                    {Key: keys("brave"), Chosen: "kagi"},
		"web search: the setting providers.webSearchExclude leaves no service to ask":                                                                                                                                                                   {Key: keys("brave"), Excluded: names()},
	} {
		if _, err := search(t.Context(), opts, `{"query": "x"}`); err == nil || err.Error() != want {
			t.Errorf("error is %v", err)
		}
	}
	if _, err := search(t.Context(), Options{Key: keys()}, `{"query": "x"}`); fault.CodeOf(err) != fault.NoCredentials {
		t.Errorf("error is %v", err)
	}
	if _, err := search(t.Context(), Options{Key: keys("brave")}, `{"query": "  "}`); err == nil || err.Error() != "the query must not be empty" {
		t.Errorf("error is %v", err)
	}
}

func names() (all []string) {
	for _, service := range services {
		all = append(all, service.name)
	}
	return all
}

func TestEachServiceHasANameForItsKey(t *testing.T) {
	for _, name := range names() {
		if len(auth.EnvNames[name]) == 0 {
			t.Errorf("%s has none", name)
		}
	}
	keysFile, err := os.ReadFile("../../config/keys.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		if !strings.Contains(string(keysFile), `"`+name+`"`) {
			t.Errorf("%s cannot be chosen by providers.webSearch", name)
		}
	}
}

func TestTheNextServiceIsAskedWhenOneFails(t *testing.T) {
	carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Meant-For") {
		case "api.tavily.com":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"detail": "key-of-tavily is  not a key"}`)
		case "api.search.brave.com":
			_, _ = io.WriteString(w, "<html>")
		case "api.exa.ai":
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		case "api.perplexity.ai":
			_, _ = io.WriteString(w, strings.Repeat(" ", maxAnswer+1))
		default:
			_, _ = io.WriteString(w, `{"organic": []}`)
		}
	})
	opts := Options{Key: keys("tavily", "brave", "exa", "perplexity"), Carrier: carrier}
	_, err := search(t.Context(), opts, `{"query": "x"}`)
	want := `web search failed: tavily: it answered 401 Unauthorized: {"detail": "[redacted] is not a key"}; ` +
		"brave: the answer is not what this service is known to send; exa: it answered 307 Temporary Redirect; perplexity: the answer is longer than 4 MiB"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}
	opts = Options{Key: keys("tavily", "serper"), Carrier: carrier}
	out, err := search(t.Context(), opts, `{"query": "x"}`)
	if err != nil || !out.Useless || out.Content.Text() != "[tavily: it answered 401 Unauthorized: {\"detail\": \"[redacted] is not a key\"}]\nserper found nothing for \"x\"." {
		t.Errorf("%q, %v", out.Content.Text(), err)
	}
	opts.Excluded = []string{"tavily"}
	if out, err := search(t.Context(), opts, `{"query": "x"}`); err != nil || out.Content.Text() != "serper found nothing for \"x\"." {
		t.Errorf("%q, %v", out.Content.Text(), err)
	}
	// A service may write the key as its own encoder does, and the net tells where a proxy is.
	for said, carrier := range map[string]http.RoundTripper{
		`tavily: it answered 403 Forbidden: {"key": "[redacted]"}`: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"key": "key\/of+<tavily>"}`)
		}),
		"tavily: invalid proxy address": failing(`invalid proxy address "http://me:p@ss/word@host": parse`),
	} {
		opts = Options{Key: func(string) string { return "key/of+<tavily>" }, Chosen: "tavily", Carrier: carrier}
		if _, err := search(t.Context(), opts, `{"query": "x"}`); err == nil || err.Error() != "web search failed: "+said {
			t.Errorf("error is %v", err)
		}
	}
	opts = Options{Key: func(string) string { return "two\nlines" }, Chosen: "kagi", Carrier: carrier}
	if _, err := search(t.Context(), opts, `{"query": "x"}`); err == nil || strings.Contains(err.Error(), "lines") {
		t.Errorf("error is %v", err)
	}
}

func TestResultsAreTidied(t *testing.T) {
	found := []Result{
		{Title: "A <strong>b</strong> &amp;\n c", URL: "https://x/", Snippet: strings.Repeat("é", maxSnippet)},
		{Title: "no page"},
		{URL: "javascript:alert(1)"},
		{URL: "https://x/ y"},
		{URL: "https://x/" + strings.Repeat("x", maxAddress)},
		{URL: "http://second/"},
		{URL: "http://third/"},
	}
	want := []Result{{Title: "A b & c", URL: "https://x/", Snippet: strings.Repeat("é", maxSnippet/2) + "…"}, {URL: "http://second/"}}
	if diff := cmp.Diff(want, tidy(found, 2)); diff != "" {
		t.Error(diff)
	}
}

// silent is a net on which nothing is ever answered.
type silent struct{}

func (silent) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestASearchEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := Options{Key: keys("brave"), Carrier: silent{}}
		if _, err := search(t.Context(), opts, `{"query": "x"}`); err == nil || err.Error() != "web search failed: brave: no answer within 20s" {
			t.Errorf("error is %v", err)
		}
		cause := errors.New("aborted")
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer stop()
		if _, err := search(ctx, opts, `{"query": "x"}`); !errors.Is(err, cause) {
			t.Errorf("error is %v", err)
		}
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"results": [{"title": "T", "url": "https://x/"}], "web": {"results": []}, "data": [{}], "organic": [null]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, service := range services {
			results, err := service.results(answer)
			if err == nil && len(tidy(results, maxLimit)) > maxLimit {
				t.Errorf("%s: too many", service.name)
			}
		}
	})
}
