package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/secret"
	wire "veyyon.dev/veyyon/frames/acp"
)

// The files that describe MCP servers, in a profile and in a project; in the folder
// of a project itself they stand without .veyyon, too (facts/platform 6).
var (
	profileServers = []string{"mcp.json", ".mcp.json"}
	projectServers = []string{".veyyon/mcp.json", ".veyyon/.mcp.json", "mcp.json", ".mcp.json"}
)

// servers begins to connect to the MCP servers of a session: those its client
// names, the trusted ones of the project, and the profile's. nil when there are
// none.
func (l *launch) servers(ctx context.Context, clients []mcp.Server) *mcp.Set {
	profile, project, untrusted := l.describedServers()
	for _, s := range untrusted {
		l.warnOnce("an MCP server of the project was passed over", fmt.Errorf("the MCP server %s of %s is not trusted; `veyyon mcp trust` trusts it as it is now", s.Name, s.From))
	}
	all := mcp.Merge(clients, project, profile)
	if len(all) == 0 {
		return nil
	}
	if ms, err := strconv.Atoi(os.Getenv("VEYYON_MCP_TIMEOUT_MS")); err == nil {
		for i := range all {
			all[i].Timeout = time.Duration(ms) * time.Millisecond
			if ms == 0 {
				all[i].Timeout = 24 * time.Hour // none
			}
		}
	}
	return mcp.Open(ctx, mcp.Options{
		Servers: all, Dir: l.dir, Env: auth.StripSecrets(os.Environ(), l.models.SecretNames()...), Version: version(),
		SignIns: l.signIns(), Secrets: secret.Cautious(append(l.models.Secrets(), secretsOf(all)...)),
	})
}

// secretsOf are the values of servers that no text may show.
func secretsOf(servers []mcp.Server) (texts []string) {
	for _, s := range servers {
		for _, values := range []map[string]string{s.Env, s.Headers} {
			for _, value := range values {
				texts = append(texts, value)
			}
		}
	}
	return texts
}

// describedServers are those in files: of the profile, of the project as far as
// trusted, and the others of the project.
func (l *launch) describedServers() (profile, project, untrusted []mcp.Server) {
	read := func(dir string, names []string) (servers []mcp.Server) {
		for _, name := range names {
			found, wrong := mcp.Read(filepath.Join(dir, name), os.LookupEnv)
			for _, err := range wrong {
				l.warnOnce("an MCP server was passed over", err)
			}
			servers = mcp.Merge(servers, found)
		}
		return servers
	}
	profile = read(l.dirs.Agent, profileServers)
	if !config.ProjectServers.Of(l.settings) {
		return profile, nil, nil
	}
	project, untrusted, err := l.trust().Sort(l.dir, read(l.dir, projectServers))
	if err != nil {
		l.warn("what is trusted cannot be read", err)
	}
	return profile, project, untrusted
}

func (l *launch) signIns() mcp.SignIns {
	return mcp.NewSignIns(filepath.Join(l.dirs.Agent, "mcp-sign-ins.json"))
}

func (l *launch) trust() mcp.Trust { return mcp.NewTrust(filepath.Join(l.dirs.Agent, "trusted-mcp")) }

// clientServers are the servers that a client of ACP names.
func clientServers(given []wire.MCPServer) []mcp.Server {
	servers := make([]mcp.Server, len(given))
	for i, s := range given {
		servers[len(given)-1-i] = mcp.Server{ // of two of one name the last counts
			Name: s.Name, Transport: mcp.Transport(s.Type), Command: s.Command, Args: s.Args, Env: pairs(s.Env), URL: s.URL, Headers: pairs(s.Headers), From: "the client",
		}
	}
	return servers
}

func pairs(list [][2]string) map[string]string {
	values := make(map[string]string, len(list))
	for _, pair := range list {
		values[pair[0]] = pair[1]
	}
	return values
}

type mcpCommand struct {
	List   mcpList   `cmd:"" default:"withargs" help:"List the MCP servers of profile and project."`
	Login  mcpLogin  `cmd:"" help:"Sign in to an MCP server, with a browser."`
	Logout mcpLogout `cmd:"" help:"Forget the sign-in to an MCP server."`
	Trust  mcpTrust  `cmd:"" help:"Let the MCP servers of the working directory run, as they are described now."`
}

type mcpList struct{}

// Run prints a line a server.
func (c *mcpList) Run(flags *launchFlags) error {
	l, err := describing(flags)
	if err != nil {
		return err
	}
	profile, project, untrusted := l.describedServers()
	if len(profile)+len(project)+len(untrusted) == 0 {
		fmt.Println("No MCP servers configured.")
		return nil
	}
	for _, s := range mcp.Merge(project, profile) {
		fmt.Printf("%s | %s | enabled | %s\n", s.Name, s.Transport, s.From)
	}
	for _, s := range untrusted {
		fmt.Printf("%s | %s | not trusted | %s\n", s.Name, s.Transport, s.From)
	}
	return nil
}

type mcpTrust struct{}

// Run trusts what the project describes, and says what that is.
func (c *mcpTrust) Run(flags *launchFlags) error {
	l, err := describing(flags)
	if err != nil {
		return err
	}
	_, _, untrusted := l.describedServers()
	if len(untrusted) == 0 {
		return errors.New("there is no MCP server here that is not trusted; see `veyyon mcp list`")
	}
	for _, s := range untrusted {
		what := s.URL
		if s.Transport == mcp.Stdio {
			what = strings.Join(append([]string{s.Command}, s.Args...), " ")
		}
		fmt.Printf("%s: %s\n", s.Name, what)
	}
	return l.trust().Give(l.dir, untrusted)
}

// loginWait is how long a person has to sign in.
const loginWait = 10 * time.Minute

type mcpLogin struct {
	Name string `arg:"" help:"The server."`
}

// Run shows the page to open and waits until the person has signed in.
func (c *mcpLogin) Run(flags *launchFlags) error {
	l, server, err := describedServer(flags, c.Name)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, loginWait)
	defer cancel()
	err = l.signIns().Login(ctx, server, func(page string) { fmt.Printf("Open this page in a browser:\n\n%s\n\n", page) })
	if err == nil {
		fmt.Printf("Signed in to %s.\n", server.Name)
	}
	return err
}

type mcpLogout struct {
	Name string `arg:"" help:"The server."`
}

// Run forgets what is kept.
func (c *mcpLogout) Run(flags *launchFlags) error {
	l, server, err := describedServer(flags, c.Name)
	if err != nil {
		return err
	}
	return l.signIns().Forget(context.Background(), server)
}

// describedServer is the server of that name that would run here.
func describedServer(flags *launchFlags, name string) (*launch, mcp.Server, error) {
	l, err := describing(flags)
	if err != nil {
		return nil, mcp.Server{}, err
	}
	profile, project, _ := l.describedServers()
	for _, s := range mcp.Merge(project, profile) {
		if s.Name == name {
			return l, s, nil
		}
	}
	return nil, mcp.Server{}, fmt.Errorf("there is no MCP server %q that may run; see `veyyon mcp list`", name)
}

// describing is a launch that knows its directories and settings.
func describing(flags *launchFlags) (*launch, error) {
	l := offline(flags)
	if err := l.place(); err != nil {
		return nil, err
	}
	return l, l.readSettings()
}
