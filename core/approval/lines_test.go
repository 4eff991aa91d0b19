package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/tool"
)

// tableRules are the rules that the lines below are held against.
const tableRules = `{
	"allow": ["git status *", "git log *", "git diff *", "ls *", "cat *", "grep *", "head *", "wc *", "sort *", "tar *", "sed *", "awk *",
		"go test *", "go vet *", "make build", "find *", "xargs *", "cd *", "./run.sh", "env", "nohup *", "kill *", "rg *", "bash x.sh",
		"git config *", "git fetch *", "git clone *", "git rev-parse *", "go build *", "go env *", "less *", "man *", "rsync *", "scp *", "zip *", "apt-get *", "curl *",
		"gcc *", "ip *", "tool *", "date *"],
	"prompt": ["git commit"],
	"deny": ["rm", "git push", "dd *", "sudo"]
}`

// lines is the table: what becomes of each line.
var lines = map[Verdict][]string{
	Allow: {
		// plain
		`git status`, `git status --short`, `git log --oneline -n 5`, `git diff HEAD~1 -- a.go`, `ls`, `ls -la /tmp`, `cat a b c`,
		`make build`, `./run.sh`, `env`, `cat "a file"`, `cat 'a file'`, `cat a\ file`, `c"a"t x`, `\cat x`, `'cat' x`, `git   status`,
		"git \\\n status", `cat ü.txt`, `cat *.go`, `cat $HOME/.profile`, `cat "$1"`, `cat ~/notes`, `ls {a,b}`, `git log "HEAD@{1}"`,
		`bash x.sh`,
		// joined
		`git status; ls`, `git status && ls`, `git status || ls`, `git status | head -n 1`, `git status |& cat`, `git status & ls`,
		"git status\nls", `(git status; ls)`, `{ git status; ls; }`, `! git status`, `time git status`, `cd src && go vet ./...`,
		`if git status; then ls; else cat x; fi`, `for f in a b; do cat "$f"; done`, `for i in 1 2 3; do ls; done`,
		`while git status; do ls; done`, `case x in a) ls;; *) cat y;; esac`, `true`, `: x`, `exit 1`, `echo hello`, `ls; echo $?`,
		`printf '%s\n' a b`, `git status; exit $?`,
		// input and harmless output
		`cat <a`, `cat < /etc/hosts`, `git status 2>&1`, `git status >/dev/null 2>&1`, `git status 2>/dev/null | head`, `cat 3<&0`,
		"cat <<EOF\nrm -rf /\nEOF", "cat <<'EOF'\n$(rm x)\nEOF", `cat <<< "text"`, `ls &>/dev/null`,
		// substitutions of what is allowed
		`cat $(ls)`, `cat "$(git status)"`, "cat `ls`", `cat <(ls) <(git status)`, "cat <<EOF\n$(ls)\nEOF", `echo "$(git log | head -n 1)"`,
		`x=$(ls); cat "$x"`, `cat "${x:-a}"`, `ls "${x#a}" "${x%b}" "${#x}"`, `echo $((1 + 2))`, `i=0; i=$((i + 1)); echo $i`,
		// wrappers
		`timeout 10 go test ./...`, `timeout -k 5 -s KILL 1m ls`, `nice ls`, `nice -n 10 ls`, `nice -5 ls`, `command ls`, `command -v git`, `exec ls`, `builtin echo x`,
		`env ls`, `env NO_COLOR=1 ls`, `LC_ALL=C sort a`, `nohup ls`, `stdbuf -oL ls`, `time -p ls`, `timeout 5 nice env ls`,
		`bash -c 'git status; ls'`, `sh -c ls`, `bash -ec 'cat "$1"' _ x`, `bash -euo pipefail -c ls`, `sh -c "bash -c 'cat x'"`,
		// find and xargs
		`find . -name '*.go'`, `find . -type f -newer x -print0`, `find . -name '*.go' -exec cat {} \;`, `find . -exec grep -l x {} +`,
		`find src \( -name a -o -name b \) -execdir ls {} \;`, `find . | xargs cat`, `find . -print0 | xargs -0 -n 1 grep x`,
		`ls | xargs -I {} cat {}`, `find . -exec sh -c 'cat "$1"' _ {} \;`, `xargs < list`,
		// tests, arithmetic, options of the shell
		`[ -f x ] && cat x`, `test -d src`, `[ "$x" = y ] || ls`, `[[ -f x && $y == z* ]]`, `[[ $x =~ ^a ]]`, `((1 < 2))`,
		`set -e; ls`, `set -euo pipefail; ls`, `i=0; while [ $i -lt 3 ]; do ls; i=$((i+1)); done`, `for ((i = 0; i < 3; i++)); do ls; done`,
		`ls | while IFS= read -r f; do cat "$f"; done`, `ls & wait $!`, `ls & pid=$!; wait $pid`,
		// nothing at all
		``, ` `, `# only a comment`, `echo ${x:$y}`, `let x=1`, `x=; a[$x]=1`,
		// languages, as far as they only read
		`sed -n '1,20p' x`, `sed -e 's/a/b/g' -e '/x/d' f`, `sed 's|a|b|; $d' f`, `awk '{ print $1 }' f`, `awk -F: 'NR == 1' f`, `tar -czf a.tgz d`,
		`sed 's/[^]a]*//; /[[:space:]]/d' f`, `sed 's/[a-z][\/]/b/' f`, `tar xf a`, `tar -cf ./a:b d`, `sort -k1,1 -t: f`, `go test -cover -vet=off ./...`, `go env GOPATH`,
		`git config user.name`, `git config --get-all x`, `git config --global --list`, `git rev-parse --git-dir`, `git fetch origin`, `less f`, `rsync -av a b`, `tool ls`,
		`curl -sSL -XPOST -H'Accept: application/json' -d @x https://h/`, `curl -fsS --oauth2-bearer x "https://h/$x"`, `date -Is`, `date +%s`, `date -ds`, `date --iso-8601=seconds`,
		`sh -c -x ls`, "git log \\\n  --oneline \\\n\t-n 5", `cat "${x:-a}" ${x:-'b'}`, `read -r x y; echo "$x"`,
	},
	Prompt: {
		// no rule
		`touch x`, `git`, `git stash`, `make`, `make build x`, `make install`, `./run.sh x`, `run.sh`, `/bin/ls`, `./ls`, `bash y.sh`, `python3 x.py`,
		`git commit -m x`, `/usr/bin/git commit`, `true; git commit`, `git $(ls)`, `make $! build`,
		// one of several is not allowed
		`git status; touch x`, `git status && touch x`, `git status || touch x`, `git status | tee x`, "git status\ntouch x", `git status & touch x`,
		`(touch x)`, `{ touch x; }`, `! touch x`, `time touch x`, `if ls; then touch x; fi`, `while touch x; do ls; done`, `for f in a; do touch $f; done`,
		`case x in x) touch y;; esac`, `ls # comment` + "\ntouch x",
		// substitutions
		`cat $(touch x)`, "cat `touch x`", `cat "$(touch x)"`, `cat <(touch x)`, `ls > >(touch x)`, "cat <<EOF\n$(touch x)\nEOF", "cat <<EOF\n`touch x`\nEOF",
		`cat <<< $(touch x)`, `cat "${x:-$(touch x)}"`, `cat ${x/$(touch x)/y}`, `echo $(( $(touch x) ))`, `x=$(touch x)`, `ls a$(touch x)b`,
		`cat "a $(echo "$(touch x)")"`, `[[ -f $(touch x) ]]`, `case $(touch x) in *) ls;; esac`, `for f in $(touch x); do ls; done`,
		`[ -f "$(touch x)" ]`, `cat <<< "${x:=$(touch x)}"`, `a=(x $(touch x))`,
		// redirections that write
		`git log > out`, `git log >> out`, `git log >| out`, `git log &> out`, `git log >& out`, `cat <> x`, `ls 2> err`, `> x`, `{ ls; } > x`,
		`ls 3> x`, `ls > /dev/null > x`, `echo x > ~/.bashrc`, `ls > "$f"`, `for f in a; do ls; done > x`, `exec > x`, `cat < /dev/tcp/host/80`,
		// names that are not known
		`$x`, `$(echo ls)`, "`echo ls`", `"$cmd" a`, `l${x}s`, `${x}ls`, `{touch,x}`, `l?`, `/bin/t*h x`, `~/x`, `$'ls'`, `$"ls"`, `"$@"`, `${!x}`, `eval $x`,
		// wrappers of what is not allowed, or that are not understood
		`timeout 5 touch x`, `timeout --unknown 5 ls`, `timeout "$t" ls; timeout $x 5 ls`, `nice touch x`, `env touch x`, `env -i ls`, `env -S 'ls'`, `env FOO=1 ls`, `env PATH=. ls`,
		`FOO=1 ls`, `PATH=. ls`, `LD_PRELOAD=x ls`, `GIT_PAGER=x git log`, `PATH=.`, `IFS=x; ls`, `command touch x`, `command -p ls`, `exec touch x`, `exec -a ls touch`,
		`builtin eval ls`, `nohup touch x`, `setsid ls`, `time -o f ls`, `stdbuf -oL touch x`, `busybox touch x`, `watch ls`, `ssh host ls`, `su -c ls`, `chroot / ls`,
		`script -c ls`, `parallel ls`, `strace ls`, `flock f ls`, `unshare ls`, `env bash`, `env -u PATH ls`,
		`bash -c 'touch x'`, `sh -c "ls; touch x"`, `bash -c "$x"`, `bash -c`, `bash`, `bash -s`, `bash -i -c ls`, `bash -l x.sh`, `bash < x.sh`, `ls | sh`, `bash <(ls)`,
		`bash -O extglob -c ls`, `sh +c ls`, `zsh -c ls`, "bash <<EOF\nls\nEOF", `echo ls | bash`, `sh /dev/stdin`, `sh -c '[[ a > b ]]'`,
		// find and xargs
		`find . -exec touch {} \;`, `find . -execdir touch {} +`, `find . -ok touch {} \;`, `find . -delete`, `find . -fprint x`, `find . -exec cat {} \; -exec touch x \;`,
		`find . -exec {} \;`, `find . -exec sh -c 'touch x' \;`, `find . -exec $x {} \;`, `find $x`, `find *`, `find "$d" -type f`, `find . $opts`, `find . -exec env touch {} \;`,
		`xargs touch`, `find . | xargs touch`, `xargs -I{} {} x`, `xargs sh -c`, `ls | xargs env`, `ls | xargs find`, `xargs -I{} sh -c '{}'`, `xargs -I{} sh -c 'cat {}'`,
		`ls | xargs -n 1 -I{} cat {}`, `ls | xargs timeout 5`, `xargs bash`, `xargs $x`, `ls | xargs -i cat {}`, `ls | xargs make build`, `ls | xargs git`,
		`ls | xargs -I% git log %`, `git log "$x"`,
		// the shell's own state
		`eval ls`, `eval 'touch x'`, `. ./x`, `source x`, `alias ls=touch; ls`, `ls() { touch x; }; ls`, `function ls { touch x; }`, `trap 'touch x' EXIT`, `shopt -s expand_aliases`,
		`enable -f x y`, `hash -p /bin/touch ls`, `set -- a`, `set -k`, `declare -n x=y`, `export FOO=1`, `unset PATH`, `read PATH`, `mapfile -C touch x`, `printf -v x y`,
		`let PATH=1`, `let x=y[1]`, `coproc ls`, `complete -C touch x`, `fc -s`, `jobs -x touch`, `history -a x`, `bind -x x`, `PROMPT_COMMAND=touch`, `test -v 'a[$(touch x)]'`, `[ -v x ]`,
		// arithmetic and expansions that run what a value says
		`x='a[$(touch x)]'; echo $((x))`, `echo $((a[$(touch x)]))`, `echo ${a[$(touch x)]}`, `x=y; ((x))`, `[[ $1 -eq 0 ]]`, `x=a; [[ x -gt 0 ]]`, `echo ${x@P}`, `echo ${!x}`,
		`y=z; echo ${x:$y}`, `declare -i x=y`, `x=y; a[$x]=1`, `[[ -v $x ]]`,
		// other programs that run programs
		`tar --to-command=touch -xf a`, `tar -I touch -xf a`, `tar cIf touch a b`, `tar --use-comp touch -xf a`, `tar -xf $x`, `sort --compress-program=touch a`, `rg --pre touch x`, `rg $x`,
		`git -c core.pager=touch log`, `git log --ext-diff`, `sed -n '1e touch x' f`, `sed 's/a/b/e' f`, `sed 's/a/b/w x' f`, `sed -f x f`, `sed 'w x' f`, `sed "$x" f`,
		`awk 'BEGIN { system("touch x") }'`, `awk '{ print > "x" }' f`, `awk '{ print | "sh" }' f`, `awk -f x f`, `go test -exec touch ./...`, `go vet -vettool=x ./...`,
		`sed 's/[/x/;s;]/b/;e touch x;p' f`, `sed 's/[[:alpha:]/x/;s;]/b/;e touch x;p' f`, `sed '/[/s;]/e touch x;p;' f`, `sed 's/[a\]/x/;s;]/b/;e touch x;p' f`,
		`sed -i/tmp/* 's/a/b/' f`, `tar xIf touch a`, `tar -cf host:a d`, `tar -cf a --checkpoint=1 --checkpoint-action=exec=touch d`, `sort -o x y`, `git log --output=x`,
		`curl -o x h`, `curl -fsSLo x h`, `curl -sO h`, `curl -ox h`, `curl --output x h`, `curl --remote-name-all h`, `curl -K x`, `curl --config=x`, `curl --conf x`, `curl -c x h`, `curl -D - h`,
		`curl --trace-ascii x h`, `curl $x`, `date -s x`, `date -us x`, `date --set=x`, `date --se x`, `less --log-file=x f`,
		`git --git-dir=d log`, `git config core.pager touch`, `git config --global alias.x '!touch x'`, `git config -e`, `git fetch --upload-pack=touch x`, `git clone -u touch x`,
		`git clone --template=d x`, `git clone 'ext::sh -c touch' x`, `git -c alias.x='!touch' x`, `git diff --output x`, `go build -ldflags=-extld=touch`, `go env -w CC=touch`,
		`go build -toolexec touch ./...`, `gcc -wrapper touch x.c`, `gcc @options`, `rsync -ae touch a b`, `rsync -M--rsync-path=touch a b`, `scp -oProxyCommand=touch a b:c`,
		`less +!touch f`, `man -P touch ls`, `zip a -TT touch b`, `apt-get -o APT::Update::Pre-Invoke::=touch update`, `ip netns e x touch`, `vim -c '!touch' f`, `ed f`,
		`DEBIAN_FRONTEND='x; system("touch")' apt-get install x`, `http_proxy=x; curl y`, `LESSOPEN='|touch x' less f`, `MAKEFLAGS=--eval=x make build`, `GIT_SSH=touch git fetch`,
		`BASH_ENV=x bash -c ls`, `env 'BASH_FUNC_ls%%=() { touch x; }' bash -c ls`, `curl x | bash`, `tool rm`, `tool -x 'rm y'`,
		// quoted names of variables
		`read "x"; echo $((x))`, `command read 'x'; [[ x -gt 0 ]]`, `ls | while read \x; do echo $((x)); done`, `env x='a[$(touch x)]' bash -c 'echo $((x))'`,
		// lines that are joined, and quotes that quote nothing
		"echo \"$\\\n(touch x)\"", "echo $\\\n{x@P}", "cat <<E\n$\\\n(touch x)\nE", "ls # \\\ntouch x", "ls # a \\\n b \\\ntouch x", "[\\\n[ -f x ]]", "x\\\n='a[$(touch x)]'; echo $((x))",
		`echo "${x:-'$(touch x)'}"`, "cat <<E\n${x:-'$(touch x)'}\nE", `echo "${x:+'}"; touch x; echo "'}"`, `cat "${x:-"'$(touch x)'"}"`,
		`echo ${x:-<(touch x)}`, `echo ${x#>(touch x)}`, "cat `echo \\`touch x\\``", "ls `cat '\\`touch x\\`'`",
		// what stands before the command
		`time -- touch x`, `time -- ls`, `bash -c -i ls`, `sh -c -- ls`, `trap -- ls EXIT`, `trap - EXIT`, `coproc x { ls; }`, `npm --prefix push x`, `git --no-pager stash`,
		// places
		`cd /tmp && ./run.sh`, `pushd x; ./run.sh`,
		// what people do not see as what it is
		"ｌs", "lѕ", "ls\u00a0x", "ls \u202e x", "ls\u200b", "cat x\u2028y", "\u0440wd", "ls \x07", "ls\r", "ls \xff", "“ls”", "ls\r\ntouch x", "ls\x00; touch x", "ls\u3000x", "ls \ufeff", "ls\u0085x", "ls；touch x",
		// what cannot be parsed
		`ls "`, `ls $(`, `if ls`, `ls )`, `cat <<EOF`, `ls ||`, "ls;\nfoo ((", `case x`, `ls @(a|b)`, strings.Repeat("(", 9000), strings.Repeat("ls;", 30_000),
	},
	Deny: {
		`rm x`, `rm`, `/bin/rm x`, `./rm x`, `\rm x`, `'rm' x`, `"r"m x`, `git push`, `git push --force`, `git  push origin`, `/usr/bin/git push`, `dd if=a of=b`, `sudo ls`,
		// wrapped
		`ls; rm x`, `ls && rm x`, `ls || rm x`, `ls | rm x`, "ls\nrm x", `ls & rm x`, `(rm x)`, `{ rm x; }`, `! rm x`, `time rm x`, `if ls; then rm x; fi`, `for f in a; do rm $f; done`,
		`cat $(rm x)`, "cat `rm x`", `cat <(rm x)`, "cat <<EOF\n$(rm x)\nEOF", `cat "${x:-$(rm x)}"`, `f() { rm x; }`, `coproc rm x`, `FOO=1 rm x`, `PATH=. rm x`,
		`env rm x`, `env -i rm x`, `env -S 'rm x'`, `env FOO=1 rm x`, `timeout 5 rm x`, `timeout --odd 5 rm x`, `nice -n 5 rm x`, `nohup rm x`, `setsid rm x`, `stdbuf -oL rm x`, `command rm x`,
		`exec rm x`, `exec -a y rm x`, `builtin command rm x`, `busybox rm x`, `xargs rm`, `find . | xargs -n 1 rm -f`, `xargs -I{} rm {}`, `find . -exec rm {} \;`, `find . -execdir rm {} +`,
		`find . -ok rm {} \;`, `bash -c 'rm x'`, `sh -c "ls; rm x"`, `bash -c 'bash -c "rm x"'`, `bash -lc 'rm x'`, `zsh -c 'rm x'`, `eval rm x`, `eval 'rm x'`, `eval "ls; rm x"`, `trap 'rm x' EXIT`,
		`watch rm x`, `watch 'rm x'`, `su -c 'rm x'`, `ssh host rm x`, `ssh host 'ls; rm x'`, `flock f rm x`, `strace -f rm x`, `parallel rm ::: x`, `script -c 'rm x'`, `npx rm x`, `docker run a rm x`,
		`xargs sh -c 'rm "$1"' _`, `find . -exec sh -c 'rm {}' \;`, `timeout 5 env nice bash -c 'rm x'`, `rm $x`, `rm "$@"`, `rm -rf /`, `[ -f x ] && rm x`, `case x in *) rm x;; esac`,
		`git status; git push`, `sh -c 'git push'`, `while :; do rm x; done`, `git -c a=b push; rm x`,
		`git -C d push`, `git --no-pager push -f`, `git --git-dir=d push`, `git -P --work-tree d push origin`, `time -- rm x`, `time -p -- rm x`, `trap -- 'rm x' EXIT`, `sh -c -- 'rm x'`,
		`bash -c -i 'rm x'`, `bfs . -exec rm {} \;`, `gtimeout 5 rm x`, `git config alias.x '!rm x'`, `git submodule foreach rm x`, `rsync -e 'rm x' a b`, `less '+!rm x' f`,
		`ssh -oProxyCommand='rm x' h`, `tar --to-command='rm x' -xf a`, `sudo -u x rm y`, `a=(1 $(rm x))`, `echo $((a[$(rm x)]))`, `cat <<< "$(rm x)"`, `ls > "$(rm x)"`,
	},
}

func TestLinesAreAllowedAskedAboutOrDenied(t *testing.T) {
	var setting map[string]any
	if err := json.Unmarshal([]byte(`{"bash":`+tableRules+`}`), &setting); err != nil {
		t.Fatal(err)
	}
	rules, faults := ParseRules(setting)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	policy, count := Policy{Mode: Ask, Rules: rules}, 0
	for want, list := range lines {
		for _, line := range list {
			count++
			if d := policy.Decide(bashCall(t, line, nil)); d.Verdict != want {
				t.Errorf("%s: %.80q (%s)", d.Verdict, line, d.Reason)
			}
		}
	}
	if count < 150 {
		t.Errorf("only %d lines", count)
	}
}

// bashCall is a call of the shell with more arguments.
func bashCall(t testing.TB, line string, more map[string]any) Call {
	t.Helper()
	args := map[string]any{"command": line}
	for k, v := range more {
		args[k] = v
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return Call{Tool: "bash", Tier: tool.TierExec, Args: raw, Dir: t.TempDir()}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
