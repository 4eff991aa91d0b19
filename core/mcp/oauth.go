package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	files "veyyon.dev/veyyon/core/file"
)

// SignIns keeps what sign-ins to servers have given, in a file that only its owner
// reads. Processes share it: a token that has run out is refreshed by one of them.
type SignIns struct{ path string }

// NewSignIns keeps them in a file.
func NewSignIns(path string) SignIns { return SignIns{path} }

// grant is what a sign-in has given, and how it is refreshed.
type grant struct {
	Token        *oauth2.Token    `json:"token"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Scopes       []string         `json:"scopes,omitempty"`
}

// How long a process waits for another that refreshes a token, and between two
// looks; and how long a token must at least be good for to be used.
const (
	lockWait  = 20 * time.Second
	lockPause = 20 * time.Millisecond
	margin    = 30 * time.Second
)

// change reads the grants, changes them and writes them while no other process
// does. Without an edit that says so nothing is written.
func (s SignIns) change(ctx context.Context, edit func(map[string]grant) (write bool, err error)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(waiting, lockPause); err != nil {
		return fmt.Errorf("waiting for other programs to let go of %s: %w", s.path, err)
	}
	defer func() { _ = lock.Close() }() // closing lets the lock go
	all, err := s.read()
	if err != nil {
		return err
	}
	write, err := edit(all)
	if err != nil || !write {
		return err
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return errors.New("the sign-ins cannot be written as JSON")
	}
	return files.Put(s.path, append(raw, '\n'), 0o600)
}

func (s SignIns) read() (map[string]grant, error) {
	all := map[string]grant{}
	raw, err := readFile(s.path)
	if err != nil || raw == nil {
		return all, err
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%s: %s", s.path, syntax(err))
	}
	return all, nil
}

// Forget drops what is kept for a server.
func (s SignIns) Forget(ctx context.Context, server Server) error {
	return s.change(ctx, func(all map[string]grant) (bool, error) {
		_, had := all[server.URL]
		delete(all, server.URL)
		return had, nil
	})
}

// tokens is the source of tokens for a server that somebody has signed in to.
type tokens struct {
	ctx    context.Context // of the connection: the SDK asks without one
	kept   SignIns
	server Server
	client *http.Client
}

// Token implements oauth2.TokenSource.
func (t tokens) Token() (token *oauth2.Token, err error) {
	err = t.kept.change(t.ctx, func(all map[string]grant) (bool, error) {
		g, ok := all[t.server.URL]
		if !ok {
			return false, errNotSignedIn(t.server)
		}
		token = g.Token
		if token.Valid() && (token.Expiry.IsZero() || time.Until(token.Expiry) > margin) {
			return false, nil
		}
		stale := *token
		stale.Expiry = time.Now().Add(-time.Second) // so that it is refreshed now
		config := oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes, Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle}}
		fresh, err := config.TokenSource(context.WithValue(t.ctx, oauth2.HTTPClient, t.client), &stale).Token()
		if err != nil {
			return false, fmt.Errorf("the sign-in to %s has run out; `veyyon mcp login %s` signs in again", t.server.Name, t.server.Name)
		}
		token, g.Token = fresh, fresh
		all[t.server.URL] = g
		return true, nil
	})
	return token, err
}

func errNotSignedIn(server Server) error {
	return fmt.Errorf("%s wants a sign-in: `veyyon mcp login %s`", server.Name, server.Name)
}

// signedIn implements auth.OAuthHandler with what is kept. A server that wants a
// sign-in fails: there may be no person here.
type signedIn struct{ tokens }

// TokenSource implements auth.OAuthHandler; nil is for a server that nobody has
// signed in to.
func (s signedIn) TokenSource(context.Context) (oauth2.TokenSource, error) {
	all, err := s.kept.read()
	if _, ok := all[s.server.URL]; err != nil || !ok {
		return nil, err
	}
	return s.tokens, nil
}

// Authorize implements auth.OAuthHandler.
func (s signedIn) Authorize(_ context.Context, _ *http.Request, response *http.Response) error {
	_ = response.Body.Close() // nobody reads it
	return errNotSignedIn(s.server)
}

// Login lets a person sign in to a server: show gets the page to open in a browser,
// which comes back to a port of this machine. It waits for that, or for the end of
// ctx, and keeps what it got.
func (s SignIns) Login(ctx context.Context, server Server, show func(page string)) error {
	if server.Transport != HTTP {
		return errors.New("only servers of the type http have a sign-in")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	back := newCallback()
	web := &http.Server{Handler: back, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() { defer close(served); _ = web.Serve(listener) }() // ends with Close below
	defer func() { _ = web.Close(); <-served }()
	redirect := "http://" + listener.Addr().String() + "/callback"
	got := false
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: &http.Client{Timeout: server.timeout()},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			show(args.URL)
			return back.wait(ctx)
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got = true
			return oauth2.StaticTokenSource(token), s.change(ctx, func(all map[string]grant) (bool, error) {
				all[server.URL] = grant{token, c.ClientID, c.ClientSecret, c.Endpoint.TokenURL, c.Endpoint.AuthStyle, c.Scopes}
				return true, nil
			})
		},
	}
	if server.OAuth.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: server.OAuth.ClientID}
		if secret := server.OAuth.ClientSecret; secret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Veyyon", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "veyyon"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: server.client(), OAuthHandler: handler, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		return err
	}
	_ = session.Close() // it was for the sign-in only
	if !got {
		return fmt.Errorf("%s wants no sign-in", server.Name)
	}
	return nil
}

// callback is where the browser comes back to. The SDK holds the state against the
// one it has sent.
type callback struct {
	results chan *auth.AuthorizationResult
}

func newCallback() callback { return callback{make(chan *auth.AuthorizationResult, 1)} }

// ServeHTTP implements http.Handler.
func (c callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.URL.Path != "/callback" || query.Get("code") == "" && query.Get("error") == "" {
		http.NotFound(w, r)
		return
	}
	select {
	case c.results <- &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}:
	default: // it has come back before
	}
	_, _ = w.Write([]byte("You can close this page and go back to the terminal.\n")) // the browser may have gone
}

func (c callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case result := <-c.results:
		if result.Code == "" {
			return nil, errors.New("the sign-in was refused")
		}
		return result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
