package document

import (
	"strconv"
	"strings"
)

// startTable begins a table, a row or a cell. Tables within tables are part of
// the text of their cell.
func (w *writer) startTable(t token) {
	switch {
	case w.pre:
	case w.table == nil && t.name == "table":
		w.open = nil
		w.table = &table{at: len(w.out)}
	case w.table == nil:
	case t.name == "table":
		w.nested++
	case w.nested > 0:
		w.space = true
	case t.name == "tr":
		w.endCell()
		w.table.rows = append(w.table.rows, nil)
	case t.name == "td" || t.name == "th":
		w.endCell()
		if len(w.table.rows) == 0 {
			w.table.rows = append(w.table.rows, nil)
		}
		span, _ := strconv.Atoi(t.attribute("colspan")) // 0 is 1
		w.table.at, w.table.cell, w.table.span = len(w.out), true, min(max(span, 1), maxSpan)
		w.open, w.gap, w.space = nil, 0, false
	}
}

func (w *writer) endTable(name string) {
	switch {
	case w.table == nil || w.pre:
	case w.nested > 0:
		w.space = true
		if name == "table" {
			w.nested--
		}
	case name == "table":
		w.endCell()
		rows := w.table.rows
		w.table = nil
		w.gap = 2
		w.writeTable(rows)
	default:
		w.endCell()
	}
}

// endCell takes the text of a cell out of the page.
func (w *writer) endCell() {
	t := w.table
	if !t.cell {
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		w.close(w.open[i])
		w.open = w.open[:i]
	}
	row := &t.rows[len(t.rows)-1]
	*row = append(*row, strings.ReplaceAll(string(w.out[t.at:]), "|", `\|`))
	for range t.span - 1 {
		*row = append(*row, "")
	}
	w.out, t.cell = w.out[:t.at], false
	w.gap, w.space, w.bullet = 0, false, ""
}

// writeTable writes the rows, the first as the head. One column is no table but
// a way to lay out a page.
func (w *writer) writeTable(rows [][]string) {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	columns = min(columns, maxColumns)
	first := true
	for _, row := range rows {
		line := "| " + strings.Join(row, " | ") + " |"
		switch {
		case strings.Join(row, "") == "":
			continue
		case columns == 1:
			line = strings.ReplaceAll(row[0], `\|`, "|")
			w.gap = 2
		case first:
			line += strings.Repeat("  |", max(0, columns-len(row)))
		}
		w.word(line)
		if first && columns > 1 {
			w.gap = 1
			w.word("|" + strings.Repeat(" --- |", max(columns, len(row))))
		}
		first, w.gap = false, 1
	}
	w.block(2)
}
