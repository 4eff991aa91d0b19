package host

import (
	"context"
	"time"
)

// Outlive returns a context that ends d after ctx does, with the same cause. It
// is for what the host cannot take back once it was asked: the answer may come
// soon, and tells what has happened. stop frees it.
func Outlive(ctx context.Context, d time.Duration) (longer context.Context, stop context.CancelFunc) {
	longer, end := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() { // ends with longer
		select {
		case <-time.After(d):
			end(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func() {
		forget()
		end(nil)
	}
}
