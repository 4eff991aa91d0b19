package shell

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var raceEnabled bool

func init() {
	if err := Adopt(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("SHELL_TEST_SERVER") != "" {
		serveForTest()
		return
	}
	goleak.VerifyTestMain(m)
}
