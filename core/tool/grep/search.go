package grep

import (
	"context"
	"errors"
	"io/fs"
	"runtime"

	"golang.org/x/sync/errgroup"

	"veyyon.dev/veyyon/core/file/tree"
)

// ahead is how many files may be found before the first of them is done with.
const ahead = 64

// job is one file to search. Its worker sends the result once.
type job struct {
	path   string
	result chan fileHits
}

// search looks through all files of the scopes, several at a time, and gives
// those that match to take, in the order of the tree, until take returns false
// or ctx ends; then it returns the cause of ctx. No goroutine is left behind.
func search(ctx context.Context, scopes []tree.Scope, opts tree.Options, p pattern, limit int, take func(path string, hits fileHits) bool) error {
	group, inner := errgroup.WithContext(ctx)
	todo, order := make(chan job), make(chan job, ahead)
	group.Go(func() error { // ends with the tree, or with inner
		defer close(todo)
		defer close(order)
		return find(inner, scopes, opts, func(path string) error {
			j := job{path, make(chan fileHits, 1)}
			if err := send(inner, order, j); err != nil {
				return err
			}
			return send(inner, todo, j)
		})
	})
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error { // ends with todo, or with inner
			for j := range todo {
				hits, err := p.scan(inner, j.path, limit)
				if err != nil {
					return err
				}
				j.result <- hits
			}
			return nil
		})
	}
	group.Go(func() error { // ends with order, or with inner
		for j := range order {
			select {
			case hits := <-j.result:
				if len(hits.matches) > 0 && !take(j.path, hits) {
					return errEnough
				}
			case <-inner.Done():
				return context.Cause(inner)
			}
		}
		return nil
	})
	if err := group.Wait(); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// errEnough ends a search well.
var errEnough = errors.New("enough found")

func send(ctx context.Context, jobs chan<- job, j job) error {
	select {
	case jobs <- j:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// find gives each file of the scopes once.
func find(ctx context.Context, scopes []tree.Scope, opts tree.Options, found func(path string) error) error {
	seen := map[string]bool{}
	once := func(path string) error {
		if len(scopes) > 1 {
			if seen[path] {
				return nil
			}
			seen[path] = true
		}
		return found(path)
	}
	for _, scope := range scopes {
		if !scope.IsDir {
			if err := once(scope.Root); err != nil {
				return err
			}
			continue
		}
		err := tree.Walk(ctx, scope.Root, opts, func(e tree.Entry) error {
			if !e.Type().IsRegular() || !scope.Includes(e.Rel) {
				return nil
			}
			return once(e.Path)
		})
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}
