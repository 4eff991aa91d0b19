package registry

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"veyyon.dev/veyyon/core/auth"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/catalog"
	"veyyon.dev/veyyon/core/model/scripted"
)

// snapshot is what the files said when they were read.
type snapshot struct {
	opts      Options
	providers map[string]settings     // of models.yml
	named     map[string]*model.Model // of models.yml and scripted, by ref: found without the catalogue
	all       func() []*model.Model   // everything; reads the catalogue the first time
	warnings  []error
	late      atomic.Pointer[error] // the catalogue's, once it was read
}

func newSnapshot(opts Options) *snapshot {
	s := &snapshot{opts: opts, named: map[string]*model.Model{}}
	s.providers, s.warnings = readModels(opts.ModelsYML, opts.Keys.Env())
	if _, err := opts.Keys.Now(); err != nil {
		s.warnings = append(s.warnings, fmt.Errorf("stored keys are not used: %w", err))
	}
	for _, m := range opts.Scripted {
		s.named[m.Ref()] = m
	}
	for id, provider := range s.providers {
		for _, m := range provider.models {
			if !s.disabled(id) {
				s.named[m.Ref()] = provider.override(m, opts.Keys.Env())
			}
		}
	}
	s.all = sync.OnceValue(s.collect)
	return s
}

// collect joins the catalogue, models.yml and the scripted models.
func (s *snapshot) collect() []*model.Model {
	table, warning := catalog.Load(s.opts.CatalogPath)
	if warning != nil {
		s.late.Store(&warning)
	}
	models := make([]*model.Model, 0, len(table.Models)+len(s.named))
	replaced := map[string]bool{}
	for _, m := range table.Models {
		if s.disabled(m.Provider) {
			continue
		}
		if own, ok := s.named[m.Ref()]; ok {
			replaced[m.Ref()] = true
			models = append(models, own)
			continue
		}
		models = append(models, s.adapt(m))
	}
	for _, id := range sortedKeys(s.providers) {
		for _, m := range s.providers[id].models {
			if own := s.named[m.Ref()]; own != nil && !replaced[m.Ref()] {
				replaced[m.Ref()] = true
				models = append(models, own)
			}
		}
	}
	return append(models, s.opts.Scripted...)
}

// adapt is a model of the catalogue with what models.yml says of it.
func (s *snapshot) adapt(m *model.Model) *model.Model {
	own, ok := s.providers[m.Provider]
	if !ok {
		return m
	}
	p := &parser{env: s.opts.Keys.Env()}
	changed := *m
	if own.API != "" {
		changed.API = own.API
	}
	p.dress(&changed, own.providerText)
	return own.override(&changed, p.env)
}

// own are models with all that models.yml says of any; some stand only for those
// of the catalogue, which is not read for this.
func (s *snapshot) own() []*model.Model {
	models := slices.Collect(maps.Values(s.named))
	for id, p := range s.providers {
		models = append(models, s.adapt(&model.Model{Provider: id}))
		for name := range p.Overrides {
			models = append(models, s.adapt(&model.Model{Provider: id, ID: name}))
		}
	}
	return models
}

// override is the model with its modelOverrides.
func (p settings) override(m *model.Model, env auth.Env) *model.Model {
	text := p.Overrides[m.ID]
	if text == nil {
		return m
	}
	changed := *m
	(&parser{env: env}).apply(&changed, text)
	if changed.Reasoning && changed.Thinking == nil {
		changed.Thinking = defaultThinking(changed.API)
	}
	return &changed
}

// find looks among everything, in the catalogue last.
func (s *snapshot) find(ref string) (*model.Model, bool) {
	if m, ok := s.named[ref]; ok {
		return m, true
	}
	provider, id := splitRef(ref)
	if s.disabled(provider) {
		return nil, false
	}
	if m, ok := engineModel(s.opts.Keys.Env(), provider, id); ok {
		return m, true
	}
	for _, m := range s.all() {
		if m.Ref() == ref {
			return m, true
		}
	}
	return nil, false
}

// local tells whether this is an engine with an address.
func (s *snapshot) local(provider string) bool {
	_, ok := engineModel(s.opts.Keys.Env(), provider, "any")
	return ok && !s.disabled(provider)
}

func (s *snapshot) disabled(provider string) bool { return slices.Contains(s.opts.Disabled, provider) }

// keyless tells whether requests go without a key.
func (s *snapshot) keyless(m *model.Model) bool {
	if m.API == model.APIScripted {
		return true
	}
	if own, ok := s.providers[m.Provider]; ok && own.Auth == "none" {
		return true
	}
	_, local := engines[m.Provider]
	return local
}

func (s *snapshot) warned() []error {
	warnings := slices.Clone(s.warnings)
	if late := s.late.Load(); late != nil {
		warnings = append(warnings, *late)
	}
	return warnings
}

// apiKey is the provider's key as models.yml writes it: a variable's name, the
// key itself, or !command. "" when it writes none.
func (p settings) apiKey() string {
	if p.providerText == nil {
		return ""
	}
	return p.APIKey
}

// secretNames are the values of keys and headers that name a variable which is
// set.
func (s *snapshot) secretNames() []string {
	var names []string
	add := func(value string) {
		if s.opts.Keys.Env().Get(value) != "" {
			names = append(names, value)
		}
	}
	for _, id := range sortedKeys(s.providers) {
		p := s.providers[id]
		add(p.APIKey)
		for _, value := range p.Headers {
			add(value)
		}
		for _, text := range slices.AppendSeq(slices.Clone(p.Models), maps.Values(p.Overrides)) {
			for _, value := range text.Headers {
				add(value)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hidden models are found by name only.
func hidden(m *model.Model) bool { return m.Provider == scripted.ID && m.ID == scripted.Demo }
