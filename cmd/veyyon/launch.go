package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/prompt"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/skill"
	"veyyon.dev/veyyon/core/subagent"
	"veyyon.dev/veyyon/core/template"
	"veyyon.dev/veyyon/core/transcript"
	"veyyon.dev/veyyon/core/veil"
	"veyyon.dev/veyyon/router/acp"
	"veyyon.dev/veyyon/router/rpc"
	"veyyon.dev/veyyon/stages"
)

// launch is what flags, environment and files come to, before anything runs.
type launch struct {
	flags       *launchFlags
	signals     *signals  // nil for commands that serve nothing
	withUI      bool      // rpc-ui: tools may ask the person
	deadline    time.Time // of the session; the zero time is none
	outboxBytes int       // bounds what waits in memory for the host
	dirs        config.Dirs
	dir         string // working directory
	leftHome    bool   // it is not where the program was started, the home
	settings    *config.Settings
	models      *registry.Registry
	// runtimeKeys are the keys of this process alone (--api-key), by provider;
	// the registry reads them.
	runtimeKeys map[string]string
	keys        *auth.Source // of providers and of services that search
	secrets     *veil.Veil   // nil when secrets.enabled is off
	scope       []*model.Model
	choice      session.Choice
	settled     bool // scope and choice are complete
	resume      *transcript.Log
	library     *prompt.Library
	skills      *skill.Library
	custom      string    // the text of --system-prompt
	added       string    // the text of --append-system-prompt
	told        *sync.Map // the texts of what was passed over
	team        *subagent.Team
}

// Run serves the protocol that --mode names.
func (c *launchCommand) Run(flags *launchFlags) error {
	l := &launch{flags: flags, told: new(sync.Map)}
	if err := l.check(c.Messages); err != nil {
		return err
	}
	l.signals = listen()
	for _, step := range []func() error{l.place, l.configure, l.notice, l.findModels, l.roles, l.choose, l.find, l.prompts} {
		if err := step(); err != nil {
			return err
		}
	}
	if flags.Mode == modeACP {
		standby(l.dirs.Logs)
		return serve(l, acp.NewCodec(), acpMiddle(l))
	}
	return serve(l, rpc.NewCodec(), middle(l))
}

// check refuses what no file or model is needed to refuse.
func (l *launch) check(messages []string) error {
	switch l.flags.Mode {
	case "rpc":
	case "rpc-ui", modeACP:
		l.withUI = true
	case "":
		if len(messages) > 0 {
			if text, ok := hint(messages[0]); ok {
				return errors.New(text)
			}
		}
		return errors.New("there is no terminal interface here. A host starts `veyyon --mode rpc`; see `veyyon --help`")
	default:
		return usageErrorf("--mode must be rpc, rpc-ui or acp, not %q", l.flags.Mode)
	}
	for _, text := range messages {
		if strings.HasPrefix(text, "@") {
			return errors.New("@file arguments are not supported in RPC mode")
		}
	}
	if l.flags.Continue && len(messages) > 0 && uuid.Validate(messages[0]) == nil {
		l.flags.Resume = messages[0] // --continue ID means --resume ID
	}
	if limit := l.flags.MaxTime; limit != "" {
		d, ok := duration(limit)
		if !ok {
			return usageErrorf(`Invalid --max-time value: %q. Expected a positive number of seconds or duration like "5s", "10m", "1h".`, limit)
		}
		l.deadline = time.Now().Add(d)
	}
	if n := l.flags.OutboxBytes; n == nil {
		l.outboxBytes = stages.DefaultOutboxBytes
	} else if l.outboxBytes = *n; *n < 1 {
		return usageErrorf("--outbox-bytes must be at least 1, not %d", *n)
	}
	if updates := l.flags.MessageUpdates; updates != "" && updates != "delta" && updates != "full" {
		return usageErrorf("--message-updates must be delta or full, not %q", updates)
	}
	return nil
}

// place finds the profile and the working directory.
func (l *launch) place() (err error) {
	if l.dirs, err = config.Locate(os.LookupEnv, l.flags.Profile); err != nil {
		return err
	}
	logTo(l.dirs.Logs, logLevel())
	for _, dir := range []string{l.dirs.Agent, l.dirs.Cache} { // of what crashes left of settings, keys and catalogues
		file.Sweep(dir)
	}
	started, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the working directory: %w", err)
	}
	l.dir = started
	if l.flags.Cwd != "" {
		l.dir = l.dirs.Resolve(l.flags.Cwd, started)
	} else if !l.flags.AllowHome && l.flags.Mode != modeACP { // there each session says where it works
		l.dir = config.AwayFromHome(started, l.dirs)
		l.leftHome = l.dir != started
	}
	if l.dir == started {
		return nil
	}
	return os.Chdir(l.dir)
}

// notice tells that the program does not work in the home directory, where it
// was started.
func (l *launch) notice() error {
	if l.leftHome {
		l.tell(fmt.Sprintf("Working in %s instead of the home directory; --allow-home stays there.", l.dir))
	}
	return nil
}

// configure reads the settings and follows those about the start.
func (l *launch) configure() error {
	if err := l.readSettings(); err != nil {
		return err
	}
	_ = l.hostDefaults() // never fails
	if l.flags.Cwd != "" {
		return nil
	}
	dir, err := config.Workdir(l.settings, l.dirs)
	if err != nil || dir == "" {
		return err
	}
	l.dir, l.leftHome = dir, false
	return os.Chdir(dir)
}

func (l *launch) hostDefaults() error {
	l.settings = l.settings.WithHostDefaults()
	return nil
}

func (l *launch) readSettings() error {
	settings, warnings, err := config.Load(config.Sources{Dirs: l.dirs, CWD: l.dir, Overlays: l.flags.ConfigFile})
	if err != nil {
		return err
	}
	for _, w := range warnings {
		l.warn("a setting was passed over", errors.New(w.String()))
	}
	l.settings = settings
	return nil
}

// choose takes what the command line says about the model of the first session.
func (l *launch) choose() error {
	s := l.settings
	l.choice = session.Choice{
		Thinking: model.Level(config.ThinkingDefault.Of(s)),
		Steering: session.QueueMode(config.SteeringMode.Of(s)), FollowUp: session.QueueMode(config.FollowUpMode.Of(s)),
		Interrupt: session.InterruptMode(config.InterruptMode.Of(s)),
		AutoRetry: config.RetryEnabled.Of(s), Compact: config.CompactionOn.Of(s) && config.CompactionStrategy.Of(s) != "off",
	}
	if l.flags.Model != "" || l.flags.Provider != "" {
		m, level, err := l.models.Match(l.flags.Model, l.flags.Provider)
		if err != nil {
			return err
		}
		l.choice.Model = m
		if level != "" {
			l.choice.Thinking = level
		}
	}
	if word := l.flags.Thinking; word != "" {
		if _, level := registry.SplitLevel(":" + word); level != "" { // the model may lower it
			l.choice.Thinking = level
		} else {
			l.warn("a flag was passed over", fmt.Errorf("--thinking must be off, minimal, low, medium, high, xhigh, max or auto, not %q", word))
		}
	}
	if l.flags.APIKey == "" {
		return nil
	}
	l.settle()
	if l.choice.Model == nil {
		return errors.New("--api-key requires a model to be specified via --model, --provider/--model, or --models")
	}
	l.runtimeKeys[l.choice.Model.Provider] = l.flags.APIKey
	return nil
}

// settle decides what the command line leaves open. It cannot fail, and it may
// have to read the catalogue, so it runs after ready.
func (l *launch) settle() {
	if l.settled {
		return
	}
	l.settled = true
	if l.flags.ModelScope != "" {
		l.scope = l.models.Scope(strings.Split(l.flags.ModelScope, ","))
	}
	if l.choice.Model == nil && len(l.scope) > 0 {
		l.choice.Model = l.scope[0]
	}
	if l.choice.Model == nil {
		ref := l.defaultModel()
		l.choice.Model = l.models.Default(ref)
		if _, level := registry.SplitLevel(ref); l.choice.Model != nil && level != "" && l.flags.Thinking == "" && ref == selector(l.choice.Model, level) {
			l.choice.Thinking = level
		}
	}
}

func (l *launch) defaultModel() string {
	name, _ := config.ModelRoles.Of(l.settings)["default"].(string)
	return name
}

func (l *launch) shellOptions() shell.Options {
	return shell.Options{
		ShellPath: config.ShellPath.Of(l.settings),
		Env:       l.childEnv(),
	}
}

// childEnv is the environment of the processes we start: ours without keys.
func (l *launch) childEnv() []string {
	return auth.StripSecrets(os.Environ(), l.models.SecretNames()...)
}

// reach is what an agent may ask of its host, nil for what that does not offer.
type reach struct {
	emit      event.Sink
	tools     host.Tools
	uris      host.URIs
	approver  host.Approver // asked about tool calls
	ask       host.UI       // asked by the tool ask
	files     host.Files
	terminals host.Terminals
	planner   host.Planner // asked about plans
	servers   *mcp.Set
}

func (l *launch) agentOptions(runner *shell.Runner, r reach) core.Options {
	s := l.settings
	l.skills = l.newSkills()
	l.library = l.newLibrary()
	l.team = l.newTeam()
	tools := l.tools(runner, r)
	return core.Options{
		Models: l.models, Scope: l.scope, Tools: tools, HostTools: r.tools, Shell: runner,
		Transcripts: l.transcripts, Sessions: l.sessionsRoot(), System: l.system(tools), Dir: l.dir, CacheKey: l.flags.CacheKey, Emit: r.emit, Deadline: l.deadline, Busy: newProcessors().tell,
		Full: l.flags.MessageUpdates == "full" || l.flags.MessageUpdates == "" && config.MessageUpdates.Of(s) == "full",
		Retry: session.Retry{
			Max: config.RetryMax.Of(s), BaseDelayMs: int64(config.RetryBaseDelay.Of(s)), MaxDelayMs: int64(config.RetryMaxDelay.Of(s)),
		},
		Discreet: l.discreet, Compaction: l.compaction(), Choice: l.choice, Resume: l.resume, BackgroundLimit: config.SessionAway.Of(s), MaxJobs: l.maxJobs(),
		Fallback: fallback(s), Todo: reminders(s), Spill: spill(s), Budget: budget(s), Rules: l.rules, Team: l.team,
		Skills: l.skills, SkillCommands: config.SkillCommands.Of(s),
		Templates: template.NewLibrary(template.Sources{
			Agent: l.dirs.Agent, Warn: func(err error) { l.warnOnce("a command was passed over", err) },
		}),
		Approval: l.approval(r.approver, runner), Plans: l.plans(), Servers: r.servers,
	}
}

func (l *launch) compaction() session.Compaction {
	s := l.settings
	c := session.Compaction{
		Limits: compaction.Limits{
			ThresholdTokens: config.CompactionTokens.Of(s), ThresholdPercent: config.CompactionPercent.Of(s),
			ReserveTokens: config.CompactionReserve.Of(s), KeepRecent: config.CompactionKeep.Of(s),
		},
		MidTurn: config.CompactionMidTurn.Of(s), AutoContinue: config.CompactionContinue.Of(s),
		SupersedeReads: config.CompactionReads.Of(s), DropUseless: config.CompactionUseless.Of(s), IdleTokens: config.CompactionIdleT.Of(s),
	}
	if config.CompactionIdle.Of(s) {
		c.IdleAfter = config.CompactionIdleAfter.Of(s)
	}
	if ref := config.CompactionModel.Of(s); ref != "" {
		m, ok := l.models.FindRef(ref)
		if !ok {
			l.warn("a setting was passed over", fmt.Errorf("compaction.model: %q is not a model that can be used", ref))
		}
		c.Model = m
	}
	return c
}

// warn tells the person and the log.
func (l *launch) warn(what string, err error) {
	slog.Warn(what, "err", err)
	l.tell(fmt.Sprintf("Warning: %v", err))
}

// warnOnce is warn for what is found out anew for each session.
func (l *launch) warnOnce(what string, err error) {
	if _, told := l.told.LoadOrStore(err.Error(), true); !told {
		l.warn(what, err)
	}
}

// tell writes a line to stderr. That may be a pipe nobody reads from, which
// must not be the end of a server.
func (l *launch) tell(line string) {
	if l.signals != nil {
		<-l.signals.heard
	}
	_, _ = fmt.Fprintln(os.Stderr, line) // nowhere else to say that it failed
}

// logLevel is Info, or Debug when VEYYON_DEBUG is set.
func logLevel() slog.Level {
	if os.Getenv("VEYYON_DEBUG") != "" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// duration reads a positive number of seconds, or one with its unit.
func duration(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	return d, err == nil && d > 0
}
