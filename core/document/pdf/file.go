package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"io"
	"strconv"
)

// The bounds of unpacking, in bytes: of one stream, of which the rest is left
// out, and of all together, after which streams are empty.
const (
	maxStream = 16 << 20
	maxTotal  = 512 << 20
)

// A file is a PDF whose objects are found by looking for them, not by its
// tables: those are what is wrong in a damaged file.
type file struct {
	raw     []byte
	offsets map[ref]int    // where an object begins, the last one of its number
	packed  map[ref][]byte // objects within streams
	known   map[ref]any    // objects that were read
	left    int            // bytes that may still be unpacked
}

func open(raw []byte) (*file, error) {
	f := &file{raw: raw, offsets: map[ref]int{}, packed: map[ref][]byte{}, known: map[ref]any{}, left: maxTotal}
	f.find()
	if len(f.offsets) == 0 {
		return nil, errors.New("it holds no objects")
	}
	if at := bytes.LastIndex(raw, []byte("/Encrypt")); at >= 0 {
		if what, _ := (&lexer{text: raw, at: at + len("/Encrypt")}).next(); f.dict(what) != nil {
			return nil, errors.New("it is encrypted")
		}
	}
	for number := range f.offsets {
		if s, ok := f.get(number).(*stream); ok && s.dict["Type"] == name("ObjStm") {
			f.unpackObjects(s)
		}
	}
	return f, nil
}

// find notes where each "12 0 obj" ends.
func (f *file) find() {
	word := []byte("obj")
	for at := 0; ; {
		n := bytes.Index(f.raw[at:], word)
		if n < 0 {
			return
		}
		at += n + len(word)
		if number, ok := numberBefore(f.raw[max(0, at-len(word)-20) : at-len(word)]); ok {
			f.offsets[number] = at
		}
	}
}

// numberBefore reads the first of two numbers at the end of a text.
func numberBefore(text []byte) (ref, bool) {
	words := bytes.Fields(text)
	if len(words) < 2 || len(text) == 0 || !space(text[len(text)-1]) {
		return 0, false
	}
	first := words[len(words)-2]
	if _, err := strconv.ParseUint(string(words[len(words)-1]), 10, 16); err != nil {
		return 0, false
	}
	for len(first) > 0 && (first[0] < '0' || first[0] > '9') { // what stands before it without a space
		first = first[1:]
	}
	n, err := strconv.ParseUint(string(first), 10, 31)
	return ref(n), err == nil
}

// unpackObjects notes the objects within a stream.
func (f *file) unpackObjects(s *stream) {
	text := f.unpack(s)
	count, first := f.number(s.dict["N"]), f.number(s.dict["First"])
	head := lexer{text: text}
	for range int(min(count, float64(len(text)))) {
		number, _ := head.next()
		offset, ok := head.next()
		n, isNumber := number.(float64)
		at, isOffset := offset.(float64)
		if !ok || !isNumber || !isOffset {
			return
		}
		if from := first + at; from >= 0 && from < float64(len(text)) {
			f.packed[ref(n)] = text[int(from):]
		}
	}
}

// get is the object of a number, nil when there is none.
func (f *file) get(number ref) any {
	if object, ok := f.known[number]; ok {
		return object
	}
	f.known[number] = nil // while it is read, as it may mention itself
	var object any
	if at, ok := f.offsets[number]; ok {
		object = f.readAt(at)
	} else if text, ok := f.packed[number]; ok {
		object, _ = (&lexer{text: text}).next()
	}
	if _, again := object.(ref); again {
		object = nil
	}
	f.known[number] = object
	return object
}

func (f *file) readAt(at int) any {
	l := lexer{text: f.raw, at: at}
	object, _ := l.next()
	head, ok := object.(dict)
	if !ok {
		return object
	}
	l.skip()
	rest := f.raw[l.at:]
	if !bytes.HasPrefix(rest, []byte("stream")) {
		return head
	}
	rest = bytes.TrimPrefix(rest[len("stream"):], []byte("\r"))
	rest = bytes.TrimPrefix(rest, []byte("\n"))
	end := f.length(head["Length"])
	if end < 0 || end > len(rest) || !bytes.HasPrefix(bytes.TrimLeft(rest[end:min(len(rest), end+20)], "\r\n "), []byte("endstream")) {
		if end = bytes.Index(rest, []byte("endstream")); end < 0 {
			end = len(rest)
		}
	}
	return &stream{head, rest[:end]}
}

// length is how long a stream says to be, -1 when it does not.
func (f *file) length(object any) int {
	if number, ok := object.(ref); ok { // not by get, which may come back here
		at, ok := f.offsets[number]
		if !ok {
			return -1
		}
		object, _ = (&lexer{text: f.raw, at: at}).next()
	}
	if n, ok := object.(float64); ok {
		return int(n)
	}
	return -1
}

// resolve is what an object is, if it is a reference.
func (f *file) resolve(object any) any {
	if number, ok := object.(ref); ok {
		return f.get(number)
	}
	return object
}

func (f *file) dict(object any) dict {
	switch object := f.resolve(object).(type) {
	case dict:
		return object
	case *stream:
		return object.dict
	}
	return nil
}

func (f *file) array(object any) array {
	out, _ := f.resolve(object).(array)
	return out
}

func (f *file) number(object any) float64 {
	out, _ := f.resolve(object).(float64)
	return out
}

func (f *file) name(object any) name {
	out, _ := f.resolve(object).(name)
	return out
}

// unpack is what a stream holds, as far as it can be unpacked.
func (f *file) unpack(s *stream) []byte {
	filters := f.array(s.dict["Filter"])
	if filters == nil && s.dict["Filter"] != nil {
		filters = array{s.dict["Filter"]}
	}
	text := s.packed
	for _, filter := range filters {
		switch f.name(filter) {
		case "FlateDecode", "Fl":
			unpacked, err := zlib.NewReader(bytes.NewReader(text))
			if err != nil {
				return nil
			}
			text = f.readAll(unpacked)
		case "ASCII85Decode", "A85":
			end := bytes.Index(text, []byte("~>"))
			if end < 0 {
				end = len(text)
			}
			text = f.readAll(ascii85.NewDecoder(bytes.NewReader(text[:end])))
		case "ASCIIHexDecode", "AHx":
			text = []byte((&lexer{text: text}).hex())
		default: // an image, or what hardly any writer uses
			return nil
		}
	}
	return text
}

func (f *file) readAll(r io.Reader) []byte {
	text, _ := io.ReadAll(io.LimitReader(r, int64(min(maxStream, f.left)))) // what came before an error counts
	f.left -= len(text)
	return text
}
