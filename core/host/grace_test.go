package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestOutliveEndsAWhileLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancelCause(t.Context())
		longer, stop := Outlive(ctx, time.Second)
		defer stop()
		time.Sleep(time.Minute)
		cause := errors.New("aborted")
		end(cause)
		time.Sleep(time.Second - time.Nanosecond)
		if longer.Err() != nil {
			t.Error("it has ended too early")
		}
		time.Sleep(2 * time.Nanosecond)
		if !errors.Is(context.Cause(longer), cause) {
			t.Errorf("its cause is %v", context.Cause(longer))
		}
		freed, stop := Outlive(ctx, time.Hour) // the goroutine of one that is stopped ends, or the bubble says so
		stop()
		if freed.Err() == nil {
			t.Error("it goes on")
		}
	})
}
