package export

import (
	"encoding/json"
	"reflect"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/secret"
	"veyyon.dev/veyyon/core/transcript"
)

// Discreet is the session without what hide takes out of its texts: pages get
// into other hands than transcripts.
func Discreet(s Session, hide func(string) string) Session { return discreet{s, hide} }

type discreet struct {
	Session
	hide func(string) string
}

// Title implements Session.
func (d discreet) Title() (string, transcript.TitleSource) {
	title, source := d.Session.Title()
	return d.hide(title), source
}

// Body implements Session.
func (d discreet) Body(e *transcript.Entry) (transcript.Body, error) {
	body, err := d.Session.Body(e)
	if err != nil || body == nil {
		return body, err
	}
	return d.clean(reflect.ValueOf(body)).Interface().(transcript.Body), nil // of the same type
}

var (
	rawType   = reflect.TypeFor[json.RawMessage]()
	imageType = reflect.TypeFor[*message.Image]()
)

// clean is a copy of the value with all texts in it hidden. A body is made of
// what is told apart here.
func (d discreet) clean(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch {
	case v.Type() == imageType: // large, and no text
	case v.Type() == rawType:
		to.SetBytes(secret.InJSON(v.Bytes(), d.hide))
	case v.Kind() == reflect.String:
		to.SetString(d.hide(v.String()))
	case v.Kind() == reflect.Slice && !v.IsNil():
		to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			to.Index(i).Set(d.clean(v.Index(i)))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		to.Set(reflect.New(v.Type().Elem()))
		to.Elem().Set(d.clean(v.Elem()))
	case v.Kind() == reflect.Interface && !v.IsNil():
		to.Set(d.clean(v.Elem()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			to.Field(i).Set(d.clean(v.Field(i)))
		}
	}
	return to
}
