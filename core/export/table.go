package export

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables are an extension of Markdown that models like. The library's own
// package of extensions would add a millisecond to every start of the program.

var (
	kindTable = ast.NewNodeKind("Table")
	kindRow   = ast.NewNodeKind("Row")
	kindCell  = ast.NewNodeKind("Cell")
)

// tableNode is a table, a row or a cell.
type tableNode struct {
	ast.BaseBlock
	kind  ast.NodeKind
	head  bool   // of a row and its cells
	align string // of a cell: a class of ours, or ""
}

// Kind says which of the three it is.
func (n *tableNode) Kind() ast.NodeKind { return n.kind }

// Dump is the library's aid for debugging.
func (n *tableNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// tables turns paragraphs that are tables into them.
type tables struct{}

// Transform is the library's call for each paragraph.
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := p.Lines(), reader.Source()
	if lines.Len() < 2 {
		return
	}
	ruler := lines.At(1)
	aligns := alignments(string(ruler.Value(source)))
	head := cellsOf(lines.At(0), source)
	if len(aligns) == 0 || len(head) != len(aligns) {
		return
	}
	table := &tableNode{kind: kindTable}
	table.AppendChild(table, row(head, aligns, true))
	for i := 2; i < lines.Len(); i++ {
		table.AppendChild(table, row(cellsOf(lines.At(i), source), aligns, false))
	}
	p.Parent().ReplaceChild(p.Parent(), p, table)
}

// row makes a row of as many cells as there are columns.
func row(cells []text.Segment, aligns []string, head bool) *tableNode {
	r := &tableNode{kind: kindRow, head: head}
	for i, align := range aligns {
		c := &tableNode{kind: kindCell, head: head, align: align}
		if i < len(cells) {
			c.Lines().Append(cells[i])
		}
		r.AppendChild(r, c)
	}
	return r
}

// alignments reads the line below a table's head; nil when it is none.
func alignments(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "-") || strings.Trim(line, "|:- \t") != "" || !strings.Contains(line, "|") {
		return nil
	}
	var aligns []string
	for part := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		part = strings.TrimSpace(part)
		if strings.Trim(part, ":") == "" || strings.Trim(strings.Trim(part, ":"), "-") != "" {
			return nil
		}
		align := ""
		switch left, right := part[0] == ':', part[len(part)-1] == ':'; {
		case left && right:
			align = "center"
		case right:
			align = "right"
		}
		aligns = append(aligns, align)
	}
	return aligns
}

// cellsOf parts a line at its bars, but for those behind a backslash and in
// code.
func cellsOf(line text.Segment, source []byte) []text.Segment {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	raw := line.Value(source)
	var cells []text.Segment
	begin, code := 0, false
	add := func(end int) {
		cell := text.NewSegment(line.Start+begin, line.Start+end)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
	}
	for i := range raw {
		switch {
		case raw[i] == '`' && (code || bytes.IndexByte(raw[i+1:], '`') >= 0):
			code = !code
		case raw[i] != '|' || code || i > 0 && raw[i-1] == '\\':
		case i == 0:
			begin = 1
		default:
			add(i)
			begin = i + 1
		}
	}
	if begin < len(raw) {
		add(len(raw))
	}
	return cells
}

func registerTables(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindTable, writeTable)
	r.Register(kindRow, writeRow)
	r.Register(kindCell, writeCell)
}

func writeTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		put(w, `<div class="table"><table>`)
	} else {
		put(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func writeRow(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		put(w, "<tr>")
	} else {
		put(w, "</tr>\n")
	}
	return ast.WalkContinue, nil
}

func writeCell(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	cell := node.(*tableNode)
	tag := "td"
	if cell.head {
		tag = "th"
	}
	switch {
	case !entering:
		put(w, "</", tag, ">")
	case cell.align != "":
		put(w, "<", tag, ` class="`, cell.align, `">`)
	default:
		put(w, "<", tag, ">")
	}
	return ast.WalkContinue, nil
}
