package event

import "encoding/json"

type (
	// CompactionStart announces a compaction that the session makes by itself.
	// Hosts accept the reasons threshold, overflow and idle only, and the action
	// context-full for a summary.
	CompactionStart struct {
		Reason string `json:"reason"`
		Action string `json:"action"`
	}
	// CompactionEnd closes it. Result is nil unless it succeeded; with WillRetry
	// the run that overflowed goes on.
	CompactionEnd struct {
		Action       string            `json:"action"`
		Result       *CompactionResult `json:"result,omitempty"`
		Aborted      bool              `json:"aborted"`
		WillRetry    bool              `json:"willRetry"`
		ErrorMessage string            `json:"errorMessage,omitempty"`
	}
	// CompactionResult says what a compaction did (facts/rpc 6.10). Details are
	// the lists readFiles and modifiedFiles; PreserveData is what is kept beside the
	// summary, the todo list.
	CompactionResult struct {
		Summary          string          `json:"summary"`
		ShortSummary     string          `json:"shortSummary,omitempty"`
		FirstKeptEntryID string          `json:"firstKeptEntryId"`
		TokensBefore     int             `json:"tokensBefore"`
		TokensAfter      int             `json:"-"` // hosts of the family know of none
		Details          json.RawMessage `json:"details,omitempty"`
		PreserveData     json.RawMessage `json:"preserveData,omitempty"`
	}
)

func (CompactionStart) Name() string { return "auto_compaction_start" }
func (CompactionEnd) Name() string   { return "auto_compaction_end" }
