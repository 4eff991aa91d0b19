package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	fullKills  = 1000
	quickKills = 60
	// shownLosses bounds how many losses an error tells of.
	shownLosses = 10
	// bigSession is the size in bytes from which on a session is left for a new
	// one, so that late rounds are like early ones.
	bigSession = 2 << 20
)

// A phase is what a server is doing when it is killed.
type phase struct {
	name   string
	window time.Duration // the kill comes at random within it
	act    func(*victim) error
}

// phases are gone through at random. Each act ends only with the server.
var phases = []phase{
	{"streaming", 60 * time.Millisecond, (*victim).talk},
	{"tools", 120 * time.Millisecond, (*victim).work},
	{"compaction", 150 * time.Millisecond, (*victim).compact},
	{"branching", 80 * time.Millisecond, (*victim).branch},
}

// chaos kills a server again and again, and looks each time for what was lost.
// One goroutine only.
type chaos struct {
	*process // the folders; the processes in them come and go
	bin      string
	random   *rand.Rand
	model    *chaosModel
	front    string               // file of the session to go on with, "" for a new one
	kept     map[string]*recalled // by session file
	missing  map[string]bool      // commands that the server does not have yet
	kills    map[string]int       // by phase
	done     map[string]int       // commands that the server has finished
	torn     int                  // lines
	losses   []string
}

// runChaos kills the server at random moments of streaming, tool runs,
// compaction and branching, starts another on the same files, and checks that
// it still has every message whose end the host had read, that each line of each
// session file is valid but those torn by a kill, that each request pairs calls
// and results, and that nothing lies about that a killed write left.
func runChaos(ctx context.Context, b *bench) (found result, err error) {
	if b.bin == "" {
		return result{}, nil // what runs inside this process cannot be killed
	}
	c, err := newChaos(b)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, c.model.close(), os.RemoveAll(c.root)) }()
	n := b.kills
	if n <= 0 {
		n = b.pick(fullKills, quickKills)
	}
	for k := range n {
		if err := c.round(ctx, phases[c.random.IntN(len(phases))]); err != nil {
			return result{}, fmt.Errorf("seed %d, kill %d: %w", b.seed, k+1, err)
		}
	}
	if err := c.last(ctx); err != nil {
		return result{}, fmt.Errorf("seed %d, after the last kill: %w", b.seed, err)
	}
	for _, p := range phases {
		found.rows = append(found.rows, figure("chaos", "kills_"+p.name, float64(c.kills[p.name]), "kills"))
	}
	for _, command := range []string{"compact", "branch", "handoff"} {
		found.rows = append(found.rows, figure("chaos", "done_"+command, float64(c.done[command]), "times"))
	}
	checked, unpaired := c.model.counts()
	c.losses = append(c.losses, unpaired...)
	found.rows = append(found.rows,
		figure("chaos", "torn_lines", float64(c.torn), "lines"),
		figure("chaos", "requests", float64(checked), "requests"),
		figure("chaos", "losses", float64(len(c.losses)), "losses"))
	if len(c.losses) > 0 {
		shown := c.losses[:min(len(c.losses), shownLosses)]
		err = fmt.Errorf("seed %d: %d losses:\n%s", b.seed, len(c.losses), strings.Join(shown, "\n"))
	}
	return found, err
}

func newChaos(b *bench) (*chaos, error) {
	model, err := serveChaos(rand.New(rand.NewPCG(b.seed, 1)))
	if err != nil {
		return nil, err
	}
	c := &chaos{
		bin: b.bin, model: model, random: rand.New(rand.NewPCG(b.seed, 0)),
		kept: map[string]*recalled{}, missing: map[string]bool{}, kills: map[string]int{}, done: map[string]int{},
	}
	c.process, err = newProcess(model.configure)
	if err == nil {
		err = c.prepare()
	}
	if err != nil {
		return nil, errors.Join(err, model.close())
	}
	return c, nil
}

// lose notes a loss.
func (c *chaos) lose(format string, args ...any) {
	c.losses = append(c.losses, fmt.Sprintf(format, args...))
}

// round starts a server, checks what it has, and kills it while it works.
func (c *chaos) round(ctx context.Context, p phase) error {
	v, err := c.start(ctx)
	if err != nil {
		return err
	}
	if err := c.reload(v); err != nil {
		return errors.Join(err, v.close())
	}
	kill := time.AfterFunc(time.Duration(c.random.Int64N(int64(p.window))), func() { _ = v.kill() })
	err = p.act(v)
	if kill.Stop() {
		return errors.Join(fmt.Errorf("%s: the server ended by itself: %w", p.name, err), v.close())
	}
	c.kills[p.name]++
	_ = v.wait() // it says that it was killed
	c.inspect()
	return nil
}

// last looks at what the last kill has left, and lets the server leave.
func (c *chaos) last(ctx context.Context) error {
	v, err := c.start(ctx)
	if err != nil {
		return err
	}
	err = c.reload(v)
	return errors.Join(err, v.close())
}

// start runs a server in the folders. It opens the session to go on with either
// by itself or when told.
func (c *chaos) start(ctx context.Context) (*victim, error) {
	if c.front != "" && fileSize(c.front) == 0 { // nothing had been said in it, or all is lost
		if n := len(c.recall(c.front).finished); n > 0 {
			c.lose("%s: %d finished messages, and no file", c.front, n)
		}
		c.front = ""
	}
	args := []string{"--mode", "rpc", "--model", modelName}
	told := c.random.IntN(2) == 0
	if c.front != "" && !told {
		args = append(args, "--resume", c.front)
	}
	p := &process{root: c.root, env: []string{"TMPDIR=" + c.temp()}}
	if err := p.run(exec.CommandContext(ctx, c.bin, args...)); err != nil {
		return nil, err
	}
	h, err := greet(p)
	if err != nil {
		return nil, err
	}
	v := &victim{host: h, c: c}
	if c.front != "" && told {
		_, err = v.command(fmt.Sprintf(`"type":"switch_session","sessionPath":%q`, c.front))
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

// close ends a server in the common folders, which stay.
func (v *victim) close() error {
	_ = v.stdin.Close()
	late := time.AfterFunc(exitGrace, func() { _ = v.kill() }) // it may be gone
	defer late.Stop()
	for {
		if _, err := v.next(); err != nil {
			return v.wait()
		}
	}
}

// reload compares what the server has of the session in front with what the
// host has read and with the file, looks for litter, and now and then leaves a
// session that has grown big, or goes back to any other.
func (c *chaos) reload(v *victim) error {
	if err := v.locate(); err != nil {
		return err
	}
	if c.front != "" {
		line, err := v.command(`"type":"get_messages"`)
		if err != nil {
			return err
		}
		if err := c.compare(line); err != nil {
			return err
		}
	}
	c.litter()
	if c.front != "" && fileSize(c.front) > bigSession {
		return v.renew()
	}
	if c.random.IntN(8) == 0 {
		return v.revisit()
	}
	return nil
}

// some returns the session files so far, in order.
func (c *chaos) some() []string {
	var paths []string
	for path := range c.kept {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
