// Package catalog is the built-in table of models: context windows, prices,
// kinds of input and ways to ask for thinking. One data file holds it; Refresh
// writes a newer one from models.dev.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// Table is a catalogue. Neither it nor its models are ever changed.
type Table struct {
	Source string // where the figures come from
	Date   string // when they were taken, YYYY-MM-DD
	Models []*model.Model
}

//go:embed models.json
var builtin []byte

// Builtin is the table inside the program. It is parsed when first asked for,
// since a start with a model of models.yml does not need it.
var Builtin = sync.OnceValue(func() *Table {
	table, err := decode(builtin)
	if err != nil {
		panic("the built-in catalogue: " + err.Error()) // a test reads it
	}
	return table
})

// Load gives the table that Refresh wrote to path, or the built-in one when
// there is none. When the file is there but no good, warning says why; the
// table is never nil.
func Load(path string) (table *Table, warning error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Builtin(), nil
	}
	if err == nil {
		table, err = decode(raw)
	}
	if err == nil && len(table.Models) == 0 {
		err = errors.New("it holds no models")
	}
	if err != nil {
		return Builtin(), fmt.Errorf("the refreshed model catalogue %s is not used: %w; run \"veyyon models refresh\"", path, err)
	}
	return table, nil
}

// tableFile is the shape of the data file: what the models of a provider have in
// common is said once.
type tableFile struct {
	Source    string `json:"source"`
	Date      string `json:"date"`
	Providers []struct {
		group
		Models []*model.Model `json:"models"`
	} `json:"providers"`
}

type group struct {
	ID      string    `json:"id"`
	API     model.API `json:"api"`
	BaseURL string    `json:"baseUrl"`
}

func decode(raw []byte) (*Table, error) {
	var f tableFile
	if err := wire.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	table := &Table{Source: f.Source, Date: f.Date}
	for _, p := range f.Providers {
		for _, m := range p.Models {
			if m == nil {
				return nil, fmt.Errorf("a model of %s is null", p.ID)
			}
			p.complete(m)
			if err := check(m); err != nil {
				return nil, fmt.Errorf("model %s: %w", m.Ref(), err)
			}
			table.Models = append(table.Models, m)
		}
	}
	return table, nil
}

// complete fills in what a model of the group does not say itself.
func (g group) complete(m *model.Model) {
	m.Provider = g.ID
	if m.API == "" {
		m.API = g.API
	}
	if m.BaseURL == "" {
		m.BaseURL = g.BaseURL
	}
	if len(m.Compat) == 0 {
		m.Compat = json.RawMessage("{}")
	}
}

// check refuses what hosts could not show or providers could not be asked for.
func check(m *model.Model) error {
	switch {
	case m.ID == "" || m.Name == "" || m.Provider == "" || m.API == "" || m.BaseURL == "":
		return errors.New("id, name, provider, api and baseUrl must not be empty")
	case len(m.Input) == 0:
		return errors.New("input must not be empty")
	case m.ContextWindow < 0 || m.MaxTokens < 0:
		return errors.New("contextWindow and maxTokens must not be negative")
	case m.Thinking != nil && len(m.Thinking.Efforts) == 0:
		return errors.New("thinking needs efforts")
	}
	return nil
}

// row is a model in the data file: without what its group says.
type row struct {
	*model.Model
	API      model.API       `json:"api,omitempty"`
	Provider string          `json:"provider,omitempty"`
	BaseURL  string          `json:"baseUrl,omitempty"`
	Compat   json.RawMessage `json:"compat,omitempty"`
}

// encode writes the data file, one model a line so that changes can be read.
func encode(t *Table) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"source\":%s,\"date\":%s,\"providers\":[", quote(t.Source), quote(t.Date))
	now := group{}
	for i, m := range t.Models {
		switch {
		case m.Provider == now.ID:
			out.WriteByte(',')
		default:
			if i > 0 {
				out.WriteString("\n]},")
			}
			now = group{ID: m.Provider, API: m.API, BaseURL: m.BaseURL}
			fmt.Fprintf(&out, "\n{\"id\":%s,\"api\":%s,\"baseUrl\":%s,\"models\":[", quote(now.ID), quote(string(now.API)), quote(now.BaseURL))
		}
		line, err := json.Marshal(now.shorten(m))
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Ref(), err)
		}
		out.WriteByte('\n')
		out.Write(line)
	}
	out.WriteString("\n]}\n]}\n")
	return out.Bytes(), nil
}

// shorten is the reverse of complete.
func (g group) shorten(m *model.Model) row {
	short := row{Model: m}
	if m.API != g.API {
		short.API = m.API
	}
	if m.BaseURL != g.BaseURL {
		short.BaseURL = m.BaseURL
	}
	if string(m.Compat) != "{}" {
		short.Compat = m.Compat
	}
	return short
}

func quote(text string) []byte {
	raw, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // unreachable: strings always encode
	}
	return raw
}
