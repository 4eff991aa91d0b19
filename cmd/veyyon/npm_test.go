package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// npmWait is how long the packages may take to come; then the tests that need them
// are skipped, as without a network.
const npmWait = time.Minute

// npmPackages is a folder with testdata/npm and the packages it names, which is
// kept for the next run. Without node, npm or the registry the test is skipped.
func npmPackages(t *testing.T) string {
	t.Helper()
	dir, err := npmInstalled()
	if err != nil {
		t.Skip(err)
	}
	return dir
}

// npmInstalled tries once for all tests. The error is why there are no packages.
var npmInstalled = sync.OnceValues(func() (dir string, err error) {
	version, err := exec.Command("node", "-p", "process.versions.node").Output()
	if major, _ := strconv.Atoi(strings.Split(string(version), ".")[0]); err != nil || major < 20 {
		return "", fmt.Errorf("there is no node 20 or later here: %s %w", version, err)
	}
	packages, err := os.ReadFile(filepath.Join("testdata", "npm", "package.json"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder to keep packages in: %w", err)
	}
	dir = filepath.Join(cache, fmt.Sprintf("veyyon-test-npm-%x", sha256.Sum256(packages))[:32])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "client.mjs", "turns.yml"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "npm", name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			return "", err
		}
	}
	complete := filepath.Join(dir, "complete")
	if _, err := os.Stat(complete); err == nil {
		return dir, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), npmWait)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the packages cannot be had: %w: %.300s", err, out)
	}
	return dir, os.WriteFile(complete, nil, 0o600)
})

// The official client drives a whole session, and each frame of ours is as the
// official schema has it.
func TestTheOfficialClientAndSchemaAgree(t *testing.T) {
	dir := npmPackages(t)
	ourselves, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "node", "client.mjs", ourselves, t.TempDir())
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "VEYYON_CONFIG_DIR=", beMain+"=1", "GORACE="+noRaceSleep)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// reached connects to servers and waits until each is reached or has failed.
func reached(t *testing.T, dir string, servers ...mcp.Server) *mcp.Set {
	t.Helper()
	s := mcp.Open(t.Context(), mcp.Options{Servers: servers, Dir: dir, Env: os.Environ(), Version: "test"})
	t.Cleanup(s.Close)
	s.Await(t.Context(), time.Minute)
	for _, status := range s.Statuses() {
		if status.State != mcp.Connected {
			t.Fatalf("%+v", status)
		}
	}
	return s
}

func use(t *testing.T, s *mcp.Set, name, args string, update func(tool.Output)) tool.Output {
	t.Helper()
	found, ok := s.Tools().Lookup(name)
	if !ok {
		var names []string
		for _, spec := range s.Tools().Offered() {
			names = append(names, spec.Name)
		}
		t.Fatalf("no %s among %s", name, names)
	}
	if update == nil {
		update = func(tool.Output) {}
	}
	out, err := found.Run(t.Context(), tool.Call{ID: "c", Args: json.RawMessage(args), Update: update})
	if err != nil || out.IsError {
		t.Fatalf("%s: %+v, %v", name, out, err)
	}
	return out
}

func TestTheServerWithEverything(t *testing.T) {
	dir := npmPackages(t)
	program := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close() // it is the server's now
	web := exec.CommandContext(t.Context(), "node", program, "streamableHttp")
	web.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	if err := web.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = web.Process.Kill(); _ = web.Wait() }) // it was killed
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // for another process
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	s := reached(
		t, dir, mcp.Server{Name: "stdio", Transport: mcp.Stdio, Command: "node", Args: []string{program, "stdio"}},
		mcp.Server{Name: "web", Transport: mcp.HTTP, URL: "http://" + address + "/mcp"},
	)
	for _, server := range []string{"stdio", "web"} {
		prefix := "mcp__" + server + "__"
		if text := use(t, s, prefix+"echo", `{"message":"hello"}`, nil).Content.Text(); text != "Echo: hello" {
			t.Errorf("%s: %q", server, text)
		}
		images := 0
		for _, block := range use(t, s, prefix+"get-tiny-image", `{}`, nil).Content {
			if _, ok := block.(*message.Image); ok {
				images++
			}
		}
		if images != 1 {
			t.Errorf("%s: %d images", server, images)
		}
		told := make(chan tool.Output, 100)
		use(t, s, prefix+"trigger-long-running-operation", `{"duration":0.2,"steps":2}`, func(o tool.Output) { told <- o })
		if len(told) == 0 {
			t.Errorf("%s: nothing told on the way", server)
		}
		list, err := s.ReadResource(t.Context(), "mcp://"+server)
		first, _, _ := strings.Cut(list, ": ")
		if err != nil || !strings.HasPrefix(first, "mcp://"+server+"/") {
			t.Fatalf("%s: %q, %v", server, list, err)
		}
		if text, err := s.ReadResource(t.Context(), first); err != nil || text == "" {
			t.Errorf("%s: %s: %q, %v", server, first, text, err)
		}
		fetch := s.Called("/" + server + ":simple-prompt")
		if fetch == nil {
			t.Fatalf("%s: %+v", server, s.Prompts())
		}
		if text, err := fetch(t.Context()); err != nil || text == "" {
			t.Errorf("%s: %q, %v", server, text, err)
		}
	}
}

func TestTheServerOfFiles(t *testing.T) {
	dir, shared := npmPackages(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "note.txt"), []byte("plover\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
	s := reached(t, shared, mcp.Server{Name: "files", Transport: mcp.Stdio, Command: "node", Args: []string{program, shared}})
	path, err := json.Marshal(map[string]string{"path": filepath.Join(shared, "note.txt")})
	if err != nil {
		t.Fatal(err)
	}
	if text := use(t, s, "mcp__files__read_text_file", string(path), nil).Content.Text(); text != "plover\n" {
		t.Errorf("%q", text)
	}
}
