package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// runVar marks each shell and what it starts, so that processes that left
// their parent and their session can still be told to be ours.
const runVar = "VEYYON_RUN"

// unattended tells programs that nobody is there to page, edit or answer
// (facts/agent 9.2).
var unattended = []string{
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "BAT_PAGER=cat", "DELTA_PAGER=cat", "GH_PAGER=cat",
	"GLAB_PAGER=cat", "PSQL_PAGER=cat", "MYSQL_PAGER=cat", "HOMEBREW_PAGER=cat", "AWS_PAGER=", "LESS=FRX",
	"TERM=dumb", "NO_COLOR=1", "PYTHONUNBUFFERED=1",
	"VISUAL=true", "EDITOR=true", "GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS=/usr/bin/false", "CI=1",
	"npm_config_yes=true", "npm_config_update_notifier=false", "npm_config_fund=false", "npm_config_audit=false",
	"npm_config_progress=false", "PNPM_DISABLE_SELF_UPDATE_CHECK=true", "PNPM_UPDATE_NOTIFIER=false",
	"YARN_ENABLE_TELEMETRY=0", "YARN_ENABLE_PROGRESS_BARS=0", "CARGO_TERM_PROGRESS_WHEN=never",
	"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "TF_INPUT=0", "TF_IN_AUTOMATION=1",
	"GH_PROMPT_DISABLED=1", "COMPOSER_NO_INTERACTION=1", "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
}

// environments returns what a command gets with pipes and with a terminal, on
// top of base.
func environments(base []string, shell string) (piped, terminal []string) {
	common := []string{"SHELL=" + shell, "GIT_EDITOR=true", "GPG_TTY=not a tty", "OMPCODE=1", "CLAUDECODE=1"}
	if !slices.ContainsFunc(base, func(entry string) bool { return isSet(entry, "VEYYON_BASH_NO_CI") }) {
		common = append(common, "CI=true")
	}
	base = slices.DeleteFunc(slices.Clone(base), func(entry string) bool { return strings.HasPrefix(entry, runVar+"=") })
	return merge(base, common, unattended), merge(base, common, []string{"TERM=xterm-256color"})
}

// merge joins environments; of several entries of one name the last counts.
func merge(layers ...[]string) []string {
	var all []string
	at := map[string]int{}
	for _, entry := range slices.Concat(layers...) {
		name, _, _ := strings.Cut(entry, "=")
		if i, ok := at[name]; ok {
			all[i] = entry
			continue
		}
		at[name] = len(all)
		all = append(all, entry)
	}
	return all
}

func isSet(entry, name string) bool {
	value, ok := strings.CutPrefix(entry, name+"=")
	return ok && value != "" && value != "0"
}

var envName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// CheckEnv tells what is wrong with a command's variables.
func CheckEnv(env map[string]string) error {
	for name, value := range env {
		if !envName().MatchString(name) {
			//lint:ignore ST1005 facts/agent 9 fixes the text
			return fmt.Errorf("Invalid bash env name: %s", name)
		}
		if strings.ContainsRune(value, 0) {
			return fmt.Errorf("the variable %s has a NUL byte", name)
		}
	}
	return nil
}

func entries(env map[string]string) []string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
