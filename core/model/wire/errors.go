package wire

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/secret"
)

// maxMessage bounds the message of an error that leaves this package, in
// bytes; the rest is cut.
const maxMessage = 2 << 10

// StatusError maps an HTTP answer that is no event stream. Its message is
// bounded only by the body.
func StatusError(status int, header http.Header, body []byte) *model.Error {
	said := parseComplaint(body)
	title := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	class := model.Classify(status, said.evidence())
	if status == http.StatusOK {
		title = "the provider answered without a stream"
		class = model.Classify(said.status(), said.evidence())
		status = said.status()
	}
	if where, err := url.Parse(header.Get("Location")); err == nil && where.String() != "" {
		title += " to " + (&url.URL{Scheme: where.Scheme, Host: where.Host, Path: where.Path}).String() // the rest may hold a token
	}
	return &model.Error{
		Class: class, Status: status, Message: join(title, said.Message),
		RetryAfter: retryAfter(header, said),
	}
}

// StreamError maps an error that arrives as an event of the stream: the whole
// event, or the error inside of it.
func StreamError(raw []byte) *model.Error {
	said := parseComplaint(raw)
	status := said.status()
	class := model.Classify(status, said.evidence())
	if class == 0 && status == 0 {
		class = model.ClassTransient // the request was accepted, so the fault came up on the way
	}
	title := said.Type
	if status > 0 {
		title = strings.TrimSpace(fmt.Sprintf("%d %s", status, said.Type))
	}
	return &model.Error{Class: class, Status: status, Message: join(title, said.Message), RetryAfter: retryAfter(nil, said)}
}

// Blocked is the error of an answer that a content filter held back.
func Blocked(reason string) *model.Error {
	return &model.Error{Class: model.ClassContentBlocked, Message: "the provider's content filter blocked the answer: " + reason}
}

// Failed is the error of an answer that the provider gave up, worth a retry.
func Failed(reason string) *model.Error {
	class := model.Classify(0, reason)
	if class == 0 {
		class = model.ClassTransient
	}
	return &model.Error{Class: class, Message: "the provider could not finish the answer: " + reason}
}

// Unreadable is the error of an event that does not fit the dialect. It is
// worth a retry: most often the stream was cut within the event.
func Unreadable(data []byte, err error) *model.Error {
	return &model.Error{
		Class:   model.ClassTransient,
		Message: fmt.Sprintf("the provider sent an event that cannot be read (%s): %s", misfit(err), data[:min(len(data), 2*maxMessage)]), // cut to size only once no secret is in it
	}
}

// dropped is the error of a stream that ended too early.
func dropped(err error) *model.Error {
	text := "the stream ended before the answer was complete"
	if err != nil {
		text += ": " + err.Error()
	}
	return &model.Error{Class: model.ClassTransient, Message: text}
}

// networkError maps what the transport reports. The URL is left out but for
// its host.
func networkError(address string, err error) *model.Error {
	var inURL *url.Error
	if !errors.As(err, &inURL) { // the headers were there, so it is the body's
		if errors.Is(err, errEventTooLong) {
			return &model.Error{Message: err.Error()}
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // says no more than our own words
		}
		return dropped(err)
	}
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	failure := &model.Error{Class: model.ClassTransient, Message: join("connection error: "+host, inURL.Err.Error())}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		failure.Class = 0 // asking again does not change a certificate
	}
	return failure
}

// seal removes secrets that a provider echoed, and then bounds the message.
func (c Call) seal(e *model.Error) *model.Error {
	clean := *e
	clean.Message = clip(secret.Hide(clean.Message, c.Secrets))
	return &clean
}

// A complaint is what the bodies of errors have in common.
type complaint struct {
	Message string
	Type    string // the provider's word for it: a type, code or status
	code    int    // an HTTP status given in the body
	delay   string // how long to wait, as Google says it: "36s"
}

// parseComplaint reads {"error":{…}}, {"error":"…"}, [{"error":…}] and
// {"message":…}; of anything else the text is the message.
func parseComplaint(body []byte) complaint {
	body = bytes.TrimSpace(body)
	inner := bytes.TrimSuffix(bytes.TrimPrefix(body, []byte("[")), []byte("]"))
	var outer struct {
		Error    rawJSON `json:"error"`
		Response struct {
			Error rawJSON `json:"error"`
		} `json:"response"`
	}
	if Unmarshal(inner, &outer) == nil {
		for _, nested := range [][]byte{outer.Error, outer.Response.Error} {
			if len(nested) > 0 && !bytes.Equal(nested, []byte("null")) {
				inner = nested
			}
		}
	}
	var text string
	if Unmarshal(inner, &text) == nil && text != "" {
		return complaint{Message: text}
	}
	var fields struct {
		Message string  `json:"message"`
		Detail  string  `json:"detail"`
		Type    string  `json:"type"`
		Status  any     `json:"status"`
		Code    any     `json:"code"`
		Meta    rawJSON `json:"metadata"`
		Details []struct {
			RetryDelay string `json:"retryDelay"`
		} `json:"details"`
	}
	if err := Unmarshal(inner, &fields); err != nil || len(inner) == 0 || inner[0] != '{' {
		return complaint{Message: string(body)}
	}
	said := complaint{Message: fields.Message, Type: fields.Type}
	if said.Message == "" {
		said.Message = fields.Detail
	}
	if len(fields.Meta) > 0 { // OpenRouter: what the provider behind it said
		said.Message = join(said.Message, string(fields.Meta))
	}
	if said.Message == "" {
		said.Message = string(body)
	}
	for _, value := range []any{fields.Code, fields.Status} {
		switch value := value.(type) {
		case float64:
			if value >= 400 && value < 600 {
				said.code = int(value)
			}
		case string:
			said.Type = value
		}
	}
	for _, detail := range fields.Details {
		if detail.RetryDelay != "" {
			said.delay = detail.RetryDelay
		}
	}
	return said
}

// evidence is the text that Classify looks at.
func (c complaint) evidence() string { return strings.TrimSpace(c.Type + " " + c.Message) }

// status is the HTTP status that the body names, or that its type stands for;
// 0 when there is none.
func (c complaint) status() int {
	if c.code != 0 {
		return c.code
	}
	return statusOf[c.Type]
}

// statusOf maps the words of Anthropic, OpenAI and Google to the statuses they
// document for them.
var statusOf = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
	"not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
	"timeout_error": 504, "overloaded_error": 529,
	"server_error": 500, "rate_limit_exceeded": 429,
	"INVALID_ARGUMENT": 400, "PERMISSION_DENIED": 403, "NOT_FOUND": 404, "RESOURCE_EXHAUSTED": 429,
	"INTERNAL": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}

func join(title, text string) string {
	if title == "" || text == "" {
		return title + text
	}
	return title + ": " + text
}

// clip bounds a text, on a rune.
func clip(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\ufffd")
	if len(text) <= maxMessage {
		return text
	}
	end := maxMessage
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
