package wiretest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

// Everything is a tuning with all that settings can say.
func Everything() *model.Tuning {
	half, k := 0.5, 40
	return &model.Tuning{
		Temperature: &half, TopP: &half, MinP: &half, TopK: &k, PresencePenalty: &half, RepetitionPenalty: &half,
		Verbosity: "low", Tier: "flex", Budgets: map[model.Level]int{model.LevelMedium: 3000}, NoImages: true,
	}
}

// Says checks what a request says of these fields; null means that a field is
// not there.
func Says(t *testing.T, request any, want string) {
	t.Helper()
	raw, err := wire.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var all, wanted map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	said := map[string]any{}
	for name := range wanted {
		said[name] = all[name]
	}
	if diff := cmp.Diff(wanted, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
