package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/router/rpc"
	"veyyon.dev/veyyon/stages"
)

type topologyCommand struct {
	Mermaid bool `help:"Print a Mermaid flow chart."`
}

// Run prints the pipeline as it is built: from the same values that make its
// channels and start its workers.
func (c *topologyCommand) Run() error {
	stagesNow, lanes := stages.Topology(), router.Topology(rpc.Table(nil, nil, nil, nil))
	if c.Mermaid {
		fmt.Print(mermaid(stagesNow, lanes))
		return nil
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\n", args...) } // Flush reports
	row("STAGE\tGOROUTINES\tRECEIVES\tSENDS")
	for _, s := range stagesNow {
		row("%s\t%d\t%s\t%s", s.Name, s.Goroutines, channelText(s.In, "stdin"), channelText(s.Out, "stdout"))
	}
	row("\t\t\t")
	row("LANE\tWORKERS\tRECEIVES\tCOMMANDS")
	for _, l := range lanes {
		lines := wrap(l.Commands, 70)
		row("%s\t%d\t%s\t%s", l.Pool, l.Workers, channelText(&l.Channel, ""), lines[0])
		for _, more := range lines[1:] {
			row("\t\t\t%s", more)
		}
	}
	return table.Flush()
}

func channelText(c *stages.Channel, end string) string {
	if c == nil {
		return end
	}
	return fmt.Sprintf("%s (%s, %d)", c.Name, c.Element, c.Capacity)
}

// wrap joins words to lines of about that width, at least one.
func wrap(words []string, width int) []string {
	lines := []string{""}
	for _, w := range words {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = w
		case len(*last)+len(w) < width:
			*last += " " + w
		default:
			lines = append(lines, w)
		}
	}
	return lines
}

func mermaid(pipe []stages.Stage, lanes []router.Lane) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n  stdin([stdin])\n  stdout([stdout])\n")
	for i, s := range pipe {
		fmt.Fprintf(&b, "  %s[%s]\n", s.Name, s.Name)
		switch {
		case s.In == nil:
			fmt.Fprintf(&b, "  stdin --> %s\n", s.Name)
		default:
			fmt.Fprintf(&b, "  %s -- \"%s: %s, %d\" --> %s\n", pipe[i-1].Name, s.In.Name, s.In.Element, s.In.Capacity, s.Name)
		}
		if s.Out == nil {
			fmt.Fprintf(&b, "  %s --> stdout\n", s.Name)
		}
	}
	b.WriteString("  subgraph Middle lanes\n")
	for i, l := range lanes {
		fmt.Fprintf(&b, "  lane%d[\"%s, workers: %d<br/>%s\"]\n", i, l.Pool, l.Workers, strings.Join(wrap(l.Commands, 40), "<br/>"))
		if i > 0 {
			fmt.Fprintf(&b, "  lane0 -- \"%s: %s, %d\" --> lane%d\n", l.Channel.Name, l.Channel.Element, l.Channel.Capacity, i)
		}
	}
	fmt.Fprintf(&b, "  end\n  Middle -- \"%s: %s, %d\" --> lane0\n", lanes[0].Channel.Name, lanes[0].Channel.Element, lanes[0].Channel.Capacity)
	return b.String()
}
