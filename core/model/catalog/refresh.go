package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/model"
)

// ModelsDevURL is where models.dev publishes its table.
const ModelsDevURL = "https://models.dev/api.json"

// maxDownload bounds the table, in bytes; a larger one is refused.
const maxDownload = 64 << 20

// ErrTooSmall refuses a table with less than half as many models as the
// built-in one: most likely the format has changed, and writing it would take
// models away.
var ErrTooSmall = errors.New("the table has far fewer models than the built-in one")

// Refresh downloads models.dev's table from url, converts it, and writes it to
// dest, for Load to find. When anything is wrong dest stays as it was.
func Refresh(ctx context.Context, client *http.Client, url, dest string) (*Table, error) {
	raw, err := download(ctx, client, url)
	if err != nil {
		return nil, fmt.Errorf("downloading %s: %w", url, err)
	}
	models, err := fromModelsDev(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", url, err)
	}
	if len(models) < len(Builtin().Models)/2 {
		return nil, fmt.Errorf("%w: %d, not %d", ErrTooSmall, len(models), len(Builtin().Models))
	}
	table := &Table{Source: url, Date: time.Now().UTC().Format(time.DateOnly), Models: pointers(models)}
	text, err := encode(table)
	if err != nil {
		return nil, err
	}
	if _, err := decode(text); err != nil { // what Load would refuse is not written
		return nil, fmt.Errorf("reading %s: %w", url, err)
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o700); err != nil {
		return nil, fmt.Errorf("writing the catalogue: %w", err)
	}
	if err := file.Put(dest, text, 0o644); err != nil {
		return nil, fmt.Errorf("writing the catalogue: %w", err)
	}
	return table, nil
}

func download(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read, or is of no use
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %s", resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxDownload+1))
	if err == nil && len(raw) > maxDownload {
		err = fmt.Errorf("the table is larger than %d MiB", maxDownload>>20)
	}
	return raw, err
}

func pointers(models []model.Model) []*model.Model {
	list := make([]*model.Model, len(models))
	for i := range models {
		list[i] = &models[i]
	}
	return list
}
