package document

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// metaRoom is how far into a page it may say what its encoding is, in bytes.
const metaRoom = 1024

// UTF8 decodes a text by its byte-order mark, by what its Content-Type or, in
// HTML, a meta element says, or else as UTF-8 if that is what it is, and as
// Windows-1252 if not.
func UTF8(raw []byte, contentType string) []byte {
	from := encodingOf(raw, contentType)
	if from == nil {
		return bytes.TrimPrefix(raw, []byte("\ufeff"))
	}
	text, err := from.NewDecoder().Bytes(raw)
	if err != nil {
		return raw
	}
	return bytes.TrimPrefix(text, []byte("\ufeff"))
}

// encodingOf is nil for UTF-8.
func encodingOf(raw []byte, contentType string) encoding.Encoding {
	switch {
	case bytes.HasPrefix(raw, []byte("\ufeff")):
		return nil
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return named("utf-16le")
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return named("utf-16be")
	}
	_, said, _ := mime.ParseMediaType(contentType) // nothing is said when it is malformed
	name := said["charset"]
	if name == "" {
		if name = metaCharset(raw[:min(len(raw), metaRoom)]); strings.HasPrefix(strings.ToLower(name), "utf-16") {
			name = "" // or it could not have been read
		}
	}
	if found := named(name); found != nil {
		return found
	}
	if utf8.Valid(raw) || strings.EqualFold(name, "utf-8") {
		return nil
	}
	return charmap.Windows1252
}

// metaCharset is what stands after "charset=" at the beginning of a page.
func metaCharset(head []byte) string {
	_, after, found := bytes.Cut(bytes.ToLower(head), []byte("charset="))
	if !found || !bytes.Contains(bytes.ToLower(head), []byte("<meta")) {
		return ""
	}
	after = bytes.TrimLeft(after, `"' `)
	if end := bytes.IndexAny(after, "\"' \t\r\n/>;"); end >= 0 {
		after = after[:end]
	}
	return string(after)
}

// named is the encoding of a name that browsers know, nil for UTF-8 and for the
// rare ones.
func named(name string) encoding.Encoding {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "utf-16", "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252":
		return charmap.Windows1252
	case "iso-8859-2":
		return charmap.ISO8859_2
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-9", "windows-1254":
		return charmap.Windows1254
	case "iso-8859-15":
		return charmap.ISO8859_15
	case "windows-1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1255", "iso-8859-8":
		return charmap.Windows1255
	case "windows-1256", "iso-8859-6":
		return charmap.Windows1256
	case "windows-874", "tis-620":
		return charmap.Windows874
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "shift_jis", "shift-jis", "sjis", "windows-31j":
		return japanese.ShiftJIS
	case "euc-jp":
		return japanese.EUCJP
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "gb2312", "gbk", "gb18030":
		return simplifiedchinese.GB18030
	case "big5", "big5-hkscs":
		return traditionalchinese.Big5
	case "euc-kr", "ks_c_5601-1987":
		return korean.EUCKR
	}
	return nil
}
