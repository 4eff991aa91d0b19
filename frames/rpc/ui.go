package rpc

// The frames of the extension UI sub-protocol.
const (
	UIRequestName  = "extension_ui_request"
	UIResponseName = "extension_ui_response"
)

type (
	// UISelect is the body of a request to choose one of the options.
	UISelect struct {
		Method  string   `json:"method"` // select
		Title   string   `json:"title"`
		Options []string `json:"options"`
	}
	// UIEditor is the body of a request to write or edit a text.
	UIEditor struct {
		Method  string `json:"method"` // editor
		Title   string `json:"title"`
		Prefill string `json:"prefill,omitempty"`
	}
	// UICancel is the body of a note that takes a dialog back.
	UICancel struct {
		ID       string `json:"id"`
		Method   string `json:"method"` // cancel
		TargetID string `json:"targetId"`
	}
)

// UIResponse is the body of an extension_ui_response. Value is nil when there
// is none that is a string.
type UIResponse struct {
	Value     *string
	Confirmed bool
	Cancelled bool
	TimedOut  bool
}

func decodeUIResponse(o Object) (any, bool) {
	response := UIResponse{
		Confirmed: o.IsTrue("confirmed"), Cancelled: o.Truthy("cancelled"), TimedOut: o.IsTrue("timedOut"),
	}
	if value, err := o.String("value"); err == nil {
		response.Value = &value
	}
	return response, true
}
