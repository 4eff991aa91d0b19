package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	tree    = "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F1 5 0 R/F2 6 0 R>>/XObject<</X 7 0 R>>>>>>"
	onePage = "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>"
	courier = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>"
)

// file1 is a PDF of these objects, without any of the tables at its end.
func file1(objects map[int]string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-2.0\n%\xe2\xe3\xcf\xd3\n")
	for _, number := range slices.Sorted(maps.Keys(objects)) {
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", number, objects[number])
	}
	return out.Bytes()
}

func streamOf(head, text string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", head, len(text), text)
}

func packedStream(head, text string) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write([]byte(text)) // a buffer takes all
	_ = w.Close()
	return streamOf(head+"/Filter/FlateDecode", packed.String())
}

// drawn is the text of a page that this draws, with more objects.
func drawn(t *testing.T, content string, more map[int]string) string {
	t.Helper()
	objects := map[int]string{1: catalog, 2: tree, 3: onePage, 4: packedStream("", content), 5: courier}
	maps.Copy(objects, more)
	text, err := Text(file1(objects))
	if err != nil {
		t.Fatal(content, err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "## Page 1\n\n"), "\n\n")
}

func TestTextIsPutTogether(t *testing.T) {
	for content, want := range map[string]string{
		"BT /F1 10 Tf 50 700 Td (Hello) Tj ET":                                     "Hello",
		"BT /F1 10 Tf (a) Tj 30 0 Td (b) Tj -30 -12 Td (c) Tj 0 -40 Td (d) Tj":     "a b\nc\n\nd",
		"BT /F1 10 Tf [(kern) 20 (ed) -300 (apart)] TJ":                            "kerned apart",
		"BT /F1 10 Tf 12 TL (one) Tj T* (two) Tj (three) ' 1 1 (four) \"":          "one\ntwo\nthree\nfour",
		"BT /F1 1 Tf 10 0 0 10 50 700 Tm (scaled) Tj 0 -1.2 TD (down) Tj":          "scaled\ndown",
		"q 2 0 0 2 0 0 cm BT /F1 5 Tf (in) Tj ET Q BT /F1 10 Tf 100 0 Td (out) Tj": "in out",
		`BT /F1 10 Tf (\(a\)\\ \101\
b (nested)) Tj <48 49 4> Tj`: `(a)\ Ab (nested)HI@`,
		"BT /F1 10 Tf (caf\\351 \\223q\\224) Tj":                 "café “q”",
		"BT /F1 10 Tf (a) Tj BI /W 1 ID (\x00 EIx) Tj EI (b) Tj": "ab",
		"BT /F1 10 Tf (page) Tj ET /X Do":                        "page\n\nform",
		"BT /F2 10 Tf <0003000400050041> Tj":                     "xyzffi",
		"BT (no font) Tj ] >> ) Q Q /No 3 Tf (still) Tj":         "no fontstill",
		"%comment (no) Tj\nBT /F1 10 Tf (yes) Tj":                "yes",
	} {
		got := drawn(t, content, map[int]string{
			6: "<</Subtype/Type0/Encoding/Identity-H/ToUnicode 8 0 R/DescendantFonts[<</DW 500/W[3[500 500]5 9 500]>>]>>",
			7: streamOf("/Subtype/Form", "/X Do BT /F1 10 Tf 50 500 Td (form) Tj ET"),
			8: packedStream("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0003> <0005> <0078> endbfrange 1 beginbfchar <0041> <FB03> endbfchar"),
		})
		if got != want {
			t.Errorf("%s\ngives %q\nnot   %q", content, got, want)
		}
	}
}

func TestFontsSayWhatTheirBytesMean(t *testing.T) {
	for encoding, want := range map[string]string{
		"/MacRomanEncoding": "é'",
		"<</Differences[142/fi/uni20AC 39/quotesingle/A.alt]>>":      "fi'",
		"<</BaseEncoding/WinAnsiEncoding/Differences[142/unknown]>>": "'",
		"null": "Ž’",
	} {
		if got := drawn(t, "BT /F1 10 Tf (\\216') Tj", map[int]string{5: "<</Subtype/Type1/BaseFont/X/FirstChar 0/Widths[500]/Encoding " + encoding + ">>"}); got != want {
			t.Errorf("%s: %q", encoding, got)
		}
	}
}

func TestObjectsAreFoundWhereverTheyAre(t *testing.T) {
	inside := courier + " " + catalog + " " + onePage
	head := fmt.Sprintf("5 0 1 %d 3 %d ", len(courier)+1, len(courier)+len(catalog)+2)
	objects := map[int]string{
		2: tree, 4: "[8 0 R 9 0 R]", 8: "<</Length 10 0 R>>stream\r\nBT /F1 10 Tf (in two) Tj\nendstream", 9: streamOf("/Filter[/ASCII85Decode/FlateDecode]/Length 3", "~>") + "\n" + streamOf("", "x"),
		10: "9999", 11: packedStream(fmt.Sprintf("/Type/ObjStm/N 3/First %d", len(head)), head+inside),
	}
	text, err := Text(file1(objects))
	if err != nil || text != "## Page 1\n\nin two\n\n" {
		t.Errorf("%q, %v", text, err)
	}
	again := append(file1(map[int]string{1: catalog, 2: tree, 3: onePage, 4: streamOf("", "BT (old) Tj"), 5: courier}), file1(map[int]string{4: streamOf("", "BT (new) Tj")})...)
	if text, err := Text(again); err != nil || text != "## Page 1\n\nnew\n\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWhatHasNoTextSaysWhy(t *testing.T) {
	for want, raw := range map[string][]byte{
		"it holds no objects": []byte("%PDF-1.4"),
		"it has no pages":     file1(map[int]string{1: courier}),
		"it has no text on its pages (1), as scanned paper has none": file1(map[int]string{1: catalog, 2: tree, 3: onePage}),
		"it is encrypted": append(file1(map[int]string{1: catalog, 2: tree, 3: onePage, 9: "<</Filter/Standard>>"}), "trailer <</Root 1 0 R/Encrypt 9 0 R>>"...),
	} {
		if text, err := Text(raw); err == nil || err.Error() != want {
			t.Errorf("%q, %v; not %s", text, err, want)
		}
	}
}

func TestNoFileTakesLong(t *testing.T) {
	const n = 1 << 20
	many := strings.Repeat
	for what, objects := range map[string]map[int]string{
		"nested arrays":    {1: many("[", n)},
		"nested dicts":     {1: many("<</a", n/4)},
		"open strings":     {1: many("(", n)},
		"open streams":     {1: many("<<>>stream ", n/11)},
		"objects":          {1: many(" 1 0 obj", n/8)},
		"numbers":          {1: "[" + many("1 0 ", n/4)},
		"pages in a ring":  {1: catalog, 2: "<</Type/Pages/Kids[2 0 R 2 0 R" + many(" 2 0 R", 1000) + "]>>"},
		"pages many times": {1: catalog, 2: "<</Type/Pages/Kids[" + many(" 3 0 R", n/6) + "]>>", 3: onePage, 4: streamOf("", "BT (x) Tj")},
		"forms in forms":   {1: catalog, 2: tree, 3: onePage, 4: streamOf("", many("/X Do ", 1000)), 7: streamOf("/Subtype/Form", many("/X Do ", 1000))},
		"images":           {1: catalog, 2: tree, 3: onePage, 4: streamOf("", many("ID EI", n/5))},
		"saved states":     {1: catalog, 2: tree, 3: onePage, 4: streamOf("", many("q ", n/2))},
		"wide ranges":      {1: catalog, 2: tree, 3: onePage, 4: streamOf("", "/F2 1 Tf"), 6: "<</Subtype/Type0/DescendantFonts[<</W[" + many("0 65535 1 ", 200) + "]>>]>>"},
		"a long length":    {1: catalog, 2: tree, 3: onePage, 4: "<</Length 1e99>>stream\nBT (x) Tj"},
	} {
		began := time.Now()
		text, _ := Text(file1(objects)) // with whatever error
		if took := time.Since(began); took > time.Minute || len(text) > 2*maxText {
			t.Errorf("%s: %d bytes after %v", what, len(text), took)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("BT /F1 10 Tf 50 700 Td (Hello) Tj [(a) 20 (b)] TJ ET"), false)
	f.Add(file1(map[int]string{1: catalog, 2: tree, 3: onePage, 4: packedStream("", "BT (x) Tj"), 5: courier}), true)
	f.Fuzz(func(t *testing.T, raw []byte, whole bool) {
		if !whole {
			raw = file1(map[int]string{1: catalog, 2: tree, 3: onePage, 4: streamOf("", string(raw)), 5: courier, 6: string(raw), 7: string(raw)})
		}
		if text, err := Text(raw); err == nil && len(text) > 2*maxText {
			t.Errorf("%d bytes", len(text))
		}
	})
}
