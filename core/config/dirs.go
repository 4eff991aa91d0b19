// Package config finds the folders of a profile and reads its settings.
//
// Sources: facts/platform 2 and appendix A, facts/rpc 15.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Dirs are the folders of one profile, all absolute. None needs to exist.
type Dirs struct {
	User     string // the person's home, for ~
	Home     string // what all profiles share
	Profile  string // name
	Root     string // of the profile
	Agent    string // settings, credentials, skills
	Sessions string
	Blobs    string
	Logs     string
	Cache    string
}

// Env is how the environment is read: os.LookupEnv, or a test's.
type Env func(name string) (string, bool)

// Locate finds the folders. flag is the value of --profile, nil when it was not
// given. The errors are for the person and end the program with code 1.
func Locate(env Env, flag *string) (Dirs, error) {
	user, ok := env("HOME")
	if !ok || user == "" {
		return Dirs{}, errors.New("HOME is not set")
	}
	d := Dirs{User: user, Home: filepath.Join(user, ".veyyon")}
	if name, ok := env("VEYYON_CONFIG_DIR"); ok && name != "" {
		d.Home = d.Resolve(name, user)
	}
	var err error
	if d.Profile, err = profile(env, flag, d.Home); err != nil {
		return Dirs{}, err
	}
	d.Root = filepath.Join(d.Home, "profiles", d.Profile)
	d.Agent = filepath.Join(d.Root, "agent")
	if dir, ok := env("VEYYON_CODING_AGENT_DIR"); ok && dir != "" && d.Profile == defaultProfile {
		if d.Agent, err = filepath.Abs(d.Resolve(dir, "")); err != nil {
			return Dirs{}, err
		}
	}
	d.Sessions, d.Blobs = filepath.Join(d.Agent, "sessions"), filepath.Join(d.Agent, "blobs")
	d.Logs, d.Cache = filepath.Join(d.Root, "logs"), filepath.Join(d.Root, "cache")
	return d, nil
}

// Resolve makes a path that a person wrote absolute: ~ is the home, anything
// relative starts at base.
func (d Dirs) Resolve(path, base string) string {
	if path == "~" {
		return d.User
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(d.User, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// ConfigFile is the profile's settings file: config.yml, unless there is only a
// config.yaml.
func (d Dirs) ConfigFile() string { return ymlOrYaml(d.Agent) }

func ymlOrYaml(dir string) string {
	yml, yaml := filepath.Join(dir, "config.yml"), filepath.Join(dir, "config.yaml")
	if _, err := os.Stat(yml); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(yaml); err == nil {
			return yaml
		}
	}
	return yml
}

// fixed makes an error whose text others know as it is, capitals and all
// (facts/platform 1.5, 2.2, 2.3).
func fixed(format string, args ...any) error { return fmt.Errorf(format, args...) }

const defaultProfile = "default"

// The patterns are compiled when a profile is named, which most starts do not.
var (
	profileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })
	deviceName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`) })
)

// checkProfile returns an error unless name may be the name of a profile.
func checkProfile(name string) error {
	if profileName().MatchString(name) && !strings.HasSuffix(name, ".") && !deviceName().MatchString(name) {
		return nil
	}
	return fixed("Invalid profile %q. Profile names must match ^[a-z0-9][a-z0-9._-]{0,63}$, cannot be \".\" or \"..\", "+
		"cannot end with \".\", and cannot be a Windows reserved device name (CON, PRN, AUX, NUL, COM0-9, LPT0-9, or any of those with an extension).", name)
}

// profile chooses the profile: flag, environment, global file, default.
func profile(env Env, flag *string, home string) (string, error) {
	if flag != nil {
		return *flag, checkProfile(*flag)
	}
	if name, ok := env("VEYYON_PROFILE"); ok {
		if name == "" {
			return defaultProfile, nil
		}
		if err := checkProfile(name); err != nil {
			return "", fixed("Invalid VEYYON_PROFILE: %w", err)
		}
		return name, nil
	}
	file := ymlOrYaml(home)
	l, err := readLayer(file)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultProfile, nil
	}
	if err != nil {
		return "", fixed("Global config %s: %w", file, err)
	}
	raw, ok := l.tree["defaultProfile"]
	if !ok || raw == nil {
		return defaultProfile, nil
	}
	name, ok := raw.(string)
	if !ok {
		return "", fixed("Global config %s: defaultProfile must be a string profile name.", file)
	}
	if err := checkProfile(name); err != nil {
		return "", fixed("Global config %s: %w", file, err)
	}
	return name, nil
}
