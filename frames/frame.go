// Package frames holds what travels between the stages: values only, no
// goroutines and no I/O.
//
// A Line is one JSON text without its newline. A Codec turns lines into Inbound
// values and Outbound values into lines. An ID is a correlation id, kept as the
// JSON it came as.
package frames

// Line is one JSON text without its newline. Whoever receives it owns it.
type Line []byte

// A Codec speaks one protocol. Decode is called from one goroutine and Encode
// from one other.
type Codec interface {
	// Decode never fails: what cannot be decoded is a Malformed. It returns
	// nil for a line that is to be ignored (a blank one).
	Decode(Line) Inbound
	// TooLong answers a line that was skipped since it was longer than max bytes.
	TooLong(max int) Malformed
	// Encode returns one line without a newline, valid JSON in valid UTF-8,
	// in which U+2028 and U+2029 stand escaped; or nil for what is not sent in
	// its protocol, the answer to a notification.
	Encode(Outbound) (Line, error)
	// Unencodable is sent in place of an answer that Encode refused; nil for
	// anything else.
	Unencodable(Outbound, error) Outbound
}

// Inbound is one of Command, Reply, Cancel or Malformed.
type Inbound interface {
	// Size is the length of the line it came from, in bytes.
	Size() int
}

type (
	// Command asks for something and is answered by one Response.
	Command struct {
		ID   ID
		Name string // a name the codec knows
		Body any    // the typed arguments; nil when Err is set
		Err  error  // what is wrong with the arguments
		Len  int
	}
	// Reply answers, or brings forward, a question of ours.
	Reply struct {
		Kind string // the protocol's name for it
		ID   string // the question's
		Body any
		Len  int
	}
	// Cancel withdraws a request by its id.
	Cancel struct {
		ID  ID
		Len int
	}
	// Malformed is anything else; the codec has worked out the refusal, which
	// is sent in its turn.
	Malformed struct {
		Answer Response
		Len    int
	}
)

// Size is the length of the line in bytes.
func (c Command) Size() int { return c.Len }

// Size is the length of the line in bytes.
func (r Reply) Size() int { return r.Len }

// Size is the length of the line in bytes.
func (c Cancel) Size() int { return c.Len }

// Size is the length of the line in bytes.
func (m Malformed) Size() int { return m.Len }

// Outbound is one of Response, Note, Ask or Batch. It is never changed once sent.
type Outbound interface{ outbound() }

type (
	// Response answers a Command. Data nil means no data at all, Null means
	// JSON null; Fault set means failure.
	Response struct {
		ID      ID
		Command string
		Data    any
		Fault   *Fault
	}
	// Note tells something; its Body's JSON fields stand beside the name.
	Note struct {
		Name string
		Body any
	}
	// Ask puts a question that expects a Reply with the same id.
	Ask struct {
		ID   string
		Name string
		Body any
	}
)

// A Batch is frames that follow one another, sent in one hop. Codecs never see
// it.
type Batch []Outbound

func (Response) outbound() {}
func (Note) outbound()     {}
func (Ask) outbound()      {}
func (Batch) outbound()    {}

// Fault is why a command failed: a text for people and a short stable word.
// About names what it is about; protocols without a place for it leave it out.
type Fault struct {
	Text  string
	Code  string
	About map[string]string
}

// An Appender is the Data of a Response that writes its own JSON, since it can
// do so with less work than its parts would take.
type Appender interface {
	// AppendJSON appends one JSON value to dst.
	AppendJSON(dst []byte) ([]byte, error)
}

// Null is the data of an answer whose data is JSON null.
var Null = null{}

type null struct{}

// MarshalJSON returns null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// A Joiner is the Body of a Note that can take in the Note that directly
// follows it (a delta of the same content block), so that a slow host costs
// less. Join returns a body owned by the caller alone, which later Joins may
// grow in place; ok is false when the two do not belong together.
type Joiner interface {
	Join(next any) (joined Joiner, ok bool)
	// Weight is roughly how many bytes its line takes.
	Weight() int
}

// A Superseder is the Body of a Note that makes an earlier Note with the same
// key worthless (progress of the same tool call).
type Superseder interface{ Supersedes() (key string) }
