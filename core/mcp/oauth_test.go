package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// provider is an MCP server with an authorization server in front: it checks PKCE,
// redirect and refresh tokens, each of which it takes once.
type provider struct {
	*httptest.Server
	mu        sync.Mutex
	challenge string
	redirect  string
	good      map[string]bool // access tokens
	refresh   string
	refreshes int
	life      time.Duration // of access tokens
	deny      bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{good: map[string]bool{}, life: time.Hour}
	tools := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return testServer() }, nil)
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(value); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		good := p.good[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		p.mu.Unlock()
		if !good {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "registration_endpoint": p.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		asked["client_id"] = "client-1"
		w.WriteHeader(http.StatusCreated)
		reply(w, asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		p.mu.Lock()
		p.challenge, p.redirect = q.Get("code_challenge"), q.Get("redirect_uri")
		back := url.Values{"state": {q.Get("state")}}
		if p.deny {
			back.Set("error", "access_denied")
		} else {
			back.Set("code", "code-1")
		}
		p.mu.Unlock()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		switch r.FormValue("grant_type") {
		case "authorization_code":
			if base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenge || r.FormValue("redirect_uri") != p.redirect || r.FormValue("code") != "code-1" {
				t.Errorf("a wrong exchange: %v", r.Form)
			}
		case "refresh_token":
			if r.FormValue("refresh_token") != p.refresh {
				http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
				return
			}
			p.refreshes++
		}
		access := fmt.Sprintf("access-%d", len(p.good))
		p.good[access], p.refresh = true, fmt.Sprintf("refresh-%d", len(p.good))
		reply(w, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(p.life / time.Second), "refresh_token": p.refresh})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// browser opens a page as a person would.
func browser(t *testing.T) func(string) {
	return func(page string) {
		go func() { // ends with the page
			response, err := http.Get(page)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
		}()
	}
}

func signed(t *testing.T, kept SignIns, server Server) *Set {
	t.Helper()
	s := Open(t.Context(), Options{Servers: []Server{server}, Dir: t.TempDir(), Version: "test", SignIns: kept})
	t.Cleanup(s.Close)
	s.Await(t.Context(), time.Minute)
	return s
}

func TestAPersonSignsIn(t *testing.T) {
	p := newProvider(t)
	path := filepath.Join(t.TempDir(), "agent", "sign-ins.json")
	kept := NewSignIns(path)
	server := Server{Name: "docs", Transport: HTTP, URL: p.URL + "/mcp"}
	if got := signed(t, kept, server).Statuses()[0]; got.State != Failed || !strings.Contains(got.Err, "`veyyon mcp login docs`") {
		t.Errorf("before: %+v", got)
	}
	if err := kept.Login(t.Context(), server, browser(t)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	out, err := call(t.Context(), t, signed(t, kept, server), "mcp__docs__find", `{"bird":"owl"}`, nil)
	if err != nil || !strings.HasPrefix(out.Content.Text(), "the owl") {
		t.Errorf("%+v, %v", out, err)
	}
	if err := kept.Forget(t.Context(), server); err != nil {
		t.Error(err)
	}
	if got := signed(t, kept, server).Statuses()[0]; got.State != Failed {
		t.Errorf("after signing out: %+v", got)
	}
}

// A provider that takes each refresh token once throws out whoever comes second.
func TestATokenIsRefreshedOnce(t *testing.T) {
	p := newProvider(t)
	p.life = time.Second // less than the margin, so that each use refreshes
	kept := NewSignIns(filepath.Join(t.TempDir(), "sign-ins.json"))
	server := Server{Name: "docs", Transport: HTTP, URL: p.URL + "/mcp"}
	if err := kept.Login(t.Context(), server, browser(t)); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.life = time.Hour
	p.mu.Unlock()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := (tokens{t.Context(), kept, server, http.DefaultClient}).Token(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p.refreshes != 1 {
		t.Errorf("refreshed %d times", p.refreshes)
	}
	p.mu.Lock()
	p.refresh = "another" // somebody else has used ours
	p.mu.Unlock()
	err := kept.change(t.Context(), func(all map[string]grant) (bool, error) {
		g := all[server.URL]
		g.Token.Expiry = time.Now().Add(-time.Hour)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tokens{t.Context(), kept, server, http.DefaultClient}.Token()
	if err == nil || !strings.Contains(err.Error(), "has run out") || strings.Contains(err.Error(), "refresh-") {
		t.Errorf("run out: %v", err)
	}
}

func TestASignInThatComesToNothing(t *testing.T) {
	p := newProvider(t)
	kept := NewSignIns(filepath.Join(t.TempDir(), "sign-ins.json"))
	server := Server{Name: "docs", Transport: HTTP, URL: p.URL + "/mcp"}
	p.deny = true
	if err := kept.Login(t.Context(), server, browser(t)); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("refused: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := kept.Login(ctx, server, func(string) { cancel() }); err == nil {
		t.Error("a sign-in that nobody ends succeeds")
	}
	forged := func(page string) {
		u, err := url.Parse(page)
		if err != nil {
			t.Error(err)
			return
		}
		browser(t)(u.Query().Get("redirect_uri") + "?code=stolen&state=wrong")
	}
	if err := kept.Login(t.Context(), server, forged); err == nil {
		t.Error("a wrong state is taken")
	}
	if err := kept.Login(t.Context(), Server{Name: "x", Transport: Stdio, Command: "x"}, nil); err == nil {
		t.Error("a program has a sign-in")
	}
}
