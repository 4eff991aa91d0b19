package acp

import "encoding/json"

// The methods of the client that we call. Protocol: facts/acp 9.
const (
	PermissionMethod  = "session/request_permission"
	ReadFileMethod    = "fs/read_text_file"
	WriteFileMethod   = "fs/write_text_file"
	CreateMethod      = "terminal/create"
	OutputMethod      = "terminal/output"
	WaitMethod        = "terminal/wait_for_exit"
	KillMethod        = "terminal/kill"
	ReleaseMethod     = "terminal/release"
	ElicitationMethod = "elicitation/create"
)

// TakeBack is the body of the notification that takes a request of ours back.
type TakeBack struct {
	RequestID json.Number `json:"requestId"`
}

// CancelMethod is the name of the notification that takes a request back.
const CancelMethod = cancelMethod

type (
	// Permission asks whether a call may run.
	Permission struct {
		SessionID string             `json:"sessionId"`
		ToolCall  ToolCall           `json:"toolCall"`
		Options   []PermissionOption `json:"options"`
	}
	// PermissionOption is an answer to choose.
	PermissionOption struct {
		OptionID string `json:"optionId"`
		Name     string `json:"name"`
		Kind     string `json:"kind"`
	}
	// ReadFile asks for the text of a file.
	ReadFile struct {
		SessionID string `json:"sessionId"`
		Path      string `json:"path"`
	}
	// WriteFile changes the text of a file.
	WriteFile struct {
		SessionID string `json:"sessionId"`
		Path      string `json:"path"`
		Content   string `json:"content"`
	}
	// CreateTerminal begins a command.
	CreateTerminal struct {
		SessionID       string   `json:"sessionId"`
		Command         string   `json:"command"`
		Args            []string `json:"args,omitempty"`
		Env             []EnvVar `json:"env,omitempty"`
		CWD             string   `json:"cwd,omitempty"`
		OutputByteLimit int      `json:"outputByteLimit,omitempty"`
	}
	// EnvVar is a variable of its environment.
	EnvVar struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	// TerminalRef names a terminal of the client.
	TerminalRef struct {
		SessionID  string `json:"sessionId"`
		TerminalID string `json:"terminalId"`
	}
	// Elicitation shows a form with one field.
	Elicitation struct {
		Mode      string `json:"mode"`
		SessionID string `json:"sessionId"`
		Message   string `json:"message"`
		Schema    Form   `json:"requestedSchema"`
	}
	// Form is what is asked for: one property, value.
	Form struct {
		Type       string   `json:"type"`
		Properties Fields   `json:"properties"`
		Required   []string `json:"required"`
	}
	// Fields are the properties of a form.
	Fields struct {
		Value Field `json:"value"`
	}
	// Field is a property: a string, one of Enum if that is there, or a boolean.
	Field struct {
		Type        string   `json:"type"`
		Description string   `json:"description,omitempty"`
		Enum        []string `json:"enum,omitempty"`
	}
)

// Chosen reads the answer to a Permission: the option, "" when the question was
// cancelled.
func Chosen(result json.RawMessage) (string, error) {
	var answer struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", err
	}
	if answer.Outcome.Outcome != "selected" {
		return "", nil
	}
	return answer.Outcome.OptionID, nil
}

// Accepted reads the answer to an Elicitation: the value, nil unless the person
// gave one.
func Accepted(result json.RawMessage) json.RawMessage {
	var answer struct {
		Action  string `json:"action"`
		Content struct {
			Value json.RawMessage `json:"value"`
		} `json:"content"`
	}
	if json.Unmarshal(result, &answer) != nil || answer.Action != "accept" {
		return nil
	}
	return answer.Content.Value
}

// FileText reads the answer to a ReadFile.
func FileText(result json.RawMessage) (string, error) {
	var answer struct {
		Content *string `json:"content"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", err
	}
	if answer.Content == nil {
		return "", errNoContent
	}
	return *answer.Content, nil
}

var errNoContent = &AnswerError{Message: "the client's answer has no content"}

// Written reads the answer to a WriteFile. Some clients put the text of an error
// in the place of the result.
func Written(result json.RawMessage) error {
	var text string
	if json.Unmarshal(result, &text) == nil && text != "" {
		return &AnswerError{Message: text}
	}
	return nil
}

// TerminalID reads the answer to a CreateTerminal.
func TerminalID(result json.RawMessage) (string, error) {
	var answer struct {
		TerminalID string `json:"terminalId"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return "", err
	}
	if answer.TerminalID == "" {
		return "", &AnswerError{Message: "the client's answer has no terminalId"}
	}
	return answer.TerminalID, nil
}

// ExitStatus is how a command of a terminal ended; nil is unknown.
type ExitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// TerminalOutput answers terminal/output; Exit is nil while the command runs.
type TerminalOutput struct {
	Output    string      `json:"output"`
	Truncated bool        `json:"truncated"`
	Exit      *ExitStatus `json:"exitStatus"`
}
