package rpc

// The frames of the extension UI sub-protocol.
const (
	UIRequestName  = "extension_ui_request"
	UIResponseName = "extension_ui_response"
)

// Bodies of requests that want an answer. Timeout is in milliseconds and tells
// the host when the server gives up; 0 is not written.
type (
	// UISelect asks to choose one of the options.
	UISelect struct {
		Method  string   `json:"method"` // select
		Title   string   `json:"title"`
		Options []string `json:"options"`
		Timeout int64    `json:"timeout,omitempty"`
	}
	// UIConfirm asks for a yes or no.
	UIConfirm struct {
		Method  string `json:"method"` // confirm
		Title   string `json:"title"`
		Message string `json:"message"`
		Timeout int64  `json:"timeout,omitempty"`
	}
	// UIInput asks for a line of text.
	UIInput struct {
		Method      string `json:"method"` // input
		Title       string `json:"title"`
		Placeholder string `json:"placeholder,omitempty"`
		Timeout     int64  `json:"timeout,omitempty"`
		Secret      bool   `json:"secret,omitempty"`
	}
	// UIEditor asks to write or edit a text.
	UIEditor struct {
		Method      string `json:"method"` // editor
		Title       string `json:"title"`
		Prefill     string `json:"prefill,omitempty"`
		PromptStyle bool   `json:"promptStyle,omitempty"`
	}
)

// Bodies of requests that nobody answers.
type (
	// UINotify shows a message.
	UINotify struct {
		Method  string `json:"method"` // notify
		Message string `json:"message"`
		Type    string `json:"notifyType,omitempty"` // info, warning, error
	}
	// UIStatus sets a status line; without a text it is cleared.
	UIStatus struct {
		Method string  `json:"method"` // setStatus
		Key    string  `json:"statusKey"`
		Text   *string `json:"statusText,omitempty"`
	}
	// UIWidget sets a block of lines; without lines it is removed.
	UIWidget struct {
		Method    string   `json:"method"` // setWidget
		Key       string   `json:"widgetKey"`
		Lines     []string `json:"widgetLines,omitempty"`
		Placement string   `json:"widgetPlacement,omitempty"` // aboveEditor, belowEditor
	}
	// UITitle sets the window's title.
	UITitle struct {
		Method string `json:"method"` // setTitle
		Title  string `json:"title"`
	}
	// UIEditorText puts a text into the host's editor.
	UIEditorText struct {
		Method string `json:"method"` // set_editor_text
		Text   string `json:"text"`
	}
	// UIOpenURL shows a page.
	UIOpenURL struct {
		Method       string `json:"method"` // open_url
		URL          string `json:"url"`
		LaunchURL    string `json:"launchUrl,omitempty"`
		Instructions string `json:"instructions,omitempty"`
		Credential   string `json:"credential"` // oauth, api-key
	}
	// UICancel takes a dialog back. It carries its id itself.
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
