package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// A row is one figure. A row without a limit informs and is always ok.
type row struct {
	Scenario  string   `json:"scenario"`
	Metric    string   `json:"metric"`
	Value     float64  `json:"value"`
	Unit      string   `json:"unit"`
	Reference *float64 `json:"reference"` // nil without one
	Ratio     *float64 `json:"ratio"`     // Value over Reference
	Limit     string   `json:"limit"`     // empty without one
	OK        bool     `json:"ok"`
}

// figure makes a row without a reference and judges it.
func figure(scenario, metric string, value float64, unit string) row {
	return row{Scenario: scenario, Metric: metric, Value: value, Unit: unit}.judged(0)
}

// compared makes a row with a reference and judges it.
func compared(scenario, metric string, value, reference float64, unit string) row {
	r := row{Scenario: scenario, Metric: metric, Value: value, Unit: unit, Reference: &reference}
	if reference != 0 {
		ratio := value / reference
		r.Ratio = &ratio
	}
	return r.judged(reference)
}

func (r row) judged(reference float64) row {
	r.OK = true
	if limit, ok := limits[r.Scenario+" "+r.Metric]; ok {
		r.Limit, r.OK = limit.text, limit.holds(r.Value, reference)
	}
	return r
}

// near tells whether a ratio that misses its limit is within slack of it.
func (r row) near(slack float64) bool {
	limit := limits[r.Scenario+" "+r.Metric]
	return r.Ratio != nil && limit.used != nil && limit.used(*r.Ratio) <= slack
}

// miss says which limit was missed and by what.
func (r row) miss() string {
	text := fmt.Sprintf("%s %s: %s %s", r.Scenario, r.Metric, number(r.Value), r.Unit)
	if r.Reference != nil {
		text += fmt.Sprintf(", reference %s", number(*r.Reference))
	}
	if r.Ratio != nil {
		text += fmt.Sprintf(", ratio %s", number(*r.Ratio))
	}
	return text + ", limit " + r.Limit
}

// A limit is what a figure has to keep to.
type limit struct {
	text  string
	holds func(value, reference float64) bool
	used  func(ratio float64) float64 // 1 at the limit, more beyond; nil unless it is a limit on the ratio
}

func atMostTimes(n float64) limit {
	return limit{
		text:  fmt.Sprintf("ratio ≤ %g", n),
		holds: func(value, reference float64) bool { return value <= n*reference },
		used:  func(ratio float64) float64 { return ratio / n },
	}
}

func atLeastTimes(n float64) limit {
	return limit{
		text:  fmt.Sprintf("ratio ≥ %g", n),
		holds: func(value, reference float64) bool { return value >= n*reference },
		used:  func(ratio float64) float64 { return n / ratio },
	}
}

func atMostAbove(n float64) limit {
	return limit{
		text:  fmt.Sprintf("≤ reference + %g", n),
		holds: func(value, reference float64) bool { return value <= reference+n },
	}
}

func atMost(n float64) limit {
	return limit{
		text:  fmt.Sprintf("≤ %g", n),
		holds: func(value, _ float64) bool { return value <= n },
	}
}

func writeJSON(w io.Writer, rows []row) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, r := range rows {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "scenario\tmetric\tvalue\tunit\treference\tratio\tlimit\tok") // Flush tells of errors
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Scenario, r.Metric, number(r.Value), r.Unit,
			optional(r.Reference), optional(r.Ratio), r.Limit, verdict(r))
	}
	return table.Flush()
}

func verdict(r row) string {
	switch {
	case !r.OK:
		return "MISSED"
	case r.Limit == "":
		return ""
	}
	return "ok"
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

// number shows about three digits, and all of them before the point.
func number(v float64) string {
	switch {
	case v >= 100 || v <= -100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10 || v <= -10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
