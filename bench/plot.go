package main

import (
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A curve is how latencies are spread, for the plot.
type curve struct {
	title             string
	server, reference *spread
}

var (
	serverColor    = color.RGBA{R: 0x1f, G: 0x5f, B: 0xbf, A: 0xff}
	referenceColor = color.RGBA{R: 0x99, G: 0x99, B: 0x99, A: 0xff}
	limitColor     = color.RGBA{R: 0xcc, G: 0x22, B: 0x22, A: 0xff}
)

// writePlot draws a panel for the limits and one for each curve into an SVG
// file.
func writePlot(path string, found result) error {
	limits, err := limitPanel(found.rows)
	if err != nil {
		return err
	}
	panels := []*plot.Plot{limits}
	for _, c := range found.curves {
		panel, err := curvePanel(c)
		if err != nil {
			return err
		}
		panels = append(panels, panel)
	}
	return writeSVG(path, panels)
}

func writeSVG(path string, panels []*plot.Plot) (err error) {
	const width, height, columns = 12 * vg.Centimeter, 9 * vg.Centimeter, 2
	grid := draw.Tiles{
		Cols: columns, Rows: (len(panels) + columns - 1) / columns,
		PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2, PadRight: vg.Centimeter / 2,
	}
	canvas := vgsvg.New(width*columns, height*vg.Length(grid.Rows))
	page := draw.New(canvas)
	for i, panel := range panels {
		panel.Draw(grid.At(page, i%columns, i/columns))
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(file); err != nil {
		_ = file.Close() // the first error tells more
		return err
	}
	return file.Close()
}

// limitPanel shows how far each limit on a ratio is used up.
func limitPanel(rows []row) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = "limits", "used (beyond 1 is a miss)"
	var bars plotter.Values
	var names []string
	for _, r := range rows {
		used := limits[r.Scenario+" "+r.Metric].used
		if r.Ratio == nil || used == nil {
			continue
		}
		bars, names = append(bars, used(*r.Ratio)), append(names, r.Scenario+" "+r.Metric)
	}
	if len(bars) == 0 {
		return p, nil
	}
	chart, err := plotter.NewBarChart(bars, vg.Points(12))
	if err != nil {
		return nil, err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, serverColor, 0
	limit, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(bars)) - 0.5}})
	if err != nil {
		return nil, err
	}
	limit.Color = limitColor
	p.Add(chart, limit)
	p.NominalY(names...)
	p.X.Min = 0
	return p, nil
}

// curvePanel shows latencies by percentile; the further right, the rarer.
func curvePanel(c curve) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, "percentile", "ms"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, rarityTicks
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	for _, side := range []struct {
		name  string
		of    *spread
		color color.Color
	}{{"server", c.server, serverColor}, {"reference", c.reference, referenceColor}} {
		line, err := plotter.NewLine(percentiles(side.of))
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = side.color, vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(side.name, line)
	}
	return p, nil
}

// rarity is the scale of percentiles: one in so many is slower.
func rarity(p float64) float64 { return 1 / (1 - p/100) }

var rarityTicks = plot.ConstantTicks{
	{Value: rarity(0), Label: "0"},
	{Value: rarity(50), Label: "50"},
	{Value: rarity(90), Label: "90"},
	{Value: rarity(99), Label: "99"},
	{Value: rarity(99.9), Label: "99.9"},
}

// percentiles goes as far to the right as there are samples to tell.
func percentiles(s *spread) plotter.XYs {
	var points plotter.XYs
	rarest := math.Min(float64(s.whole.TotalCount()), rarity(99.9))
	for x := 1.0; x <= rarest; x *= 1.1 {
		points = append(points, plotter.XY{X: x, Y: s.percentile(100 * (1 - 1/x))})
	}
	return points
}
