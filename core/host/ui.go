package host

import (
	"context"
	"time"
)

// UI reaches the person behind the host. It is nil for tools under plain rpc.
// Safe for concurrent use.
//
// Protocol: "Extension UI Sub-Protocol".
type UI interface {
	// Ask shows a dialog and waits for the person. A dialog that was dismissed or
	// timed out is answered with the zero value of what it asks for, which is no
	// error. The error is the cause of ctx, and then the dialog is taken back; or
	// ErrGone.
	Ask(ctx context.Context, d Dialog) (Answer, error)
	// Show tells the person something and waits for nobody. The error is that of
	// a connection that is over.
	Show(n Notice) error
}

// A Dialog is what Ask shows: Select, Confirm, Input or Editor. One with a
// Timeout closes by itself; 0 waits for ever.
type Dialog interface{ dialog() }

type (
	// Select offers options to choose from. A host may answer with another text.
	Select struct {
		Title   string
		Options []string
		Timeout time.Duration
	}
	// Confirm asks for a yes.
	Confirm struct {
		Title, Message string
		Timeout        time.Duration
	}
	// Input asks for a line of text; one that is Secret is not shown while it is
	// typed.
	Input struct {
		Title, Placeholder string
		Secret             bool
		Timeout            time.Duration
	}
	// Editor asks for a text of many lines. Prompt means that Enter ends it, as
	// where prompts are written.
	Editor struct {
		Title, Prefill string
		Prompt         bool
	}
)

func (Select) dialog()  {}
func (Confirm) dialog() {}
func (Input) dialog()   {}
func (Editor) dialog()  {}

// Answer is what the person made of a dialog.
type Answer struct {
	Value     string // the text or option
	Given     bool   // there is a Value; an empty one differs from none
	Confirmed bool   // Confirm was answered with yes
	TimedOut  bool   // nobody answered in time
}

// A Notice is what Show tells: Message, Status, Widget, Title, EditorText or Page.
type Notice interface{ notice() }

type (
	// Message is a text of a Level: info, warning or error.
	Message struct{ Text, Level string }
	// Status is a short text that stays under its Key; nil clears it.
	Status struct {
		Key  string
		Text *string
	}
	// Widget is a block of lines that stays under its Key; nil removes it.
	// Placement is aboveEditor, belowEditor or "" for the host's choice.
	Widget struct {
		Key       string
		Lines     []string
		Placement string
	}
	// Title is for the window; hosts get it only if they asked for titles.
	Title struct{ Text string }
	// EditorText is what the host's editor shall hold.
	EditorText struct{ Text string }
	// Page is a URL to show. Credential says why: "oauth" when the agent waits for
	// what happens there and the host opens it, "api-key" when a key is got there
	// and asked for next.
	Page struct{ URL, LaunchURL, Instructions, Credential string }
)

func (Message) notice()    {}
func (Status) notice()     {}
func (Widget) notice()     {}
func (Title) notice()      {}
func (EditorText) notice() {}
func (Page) notice()       {}
