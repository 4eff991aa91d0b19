package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// Refresh downloads models.dev's table from address, converts it, and writes it to
// dest, for Load to find. When anything is wrong dest stays as it was.
func Refresh(ctx context.Context, client *http.Client, address, dest string) (*Table, error) {
	raw, err := download(ctx, client, address)
	source := shown(address)
	if err != nil {
		return nil, fmt.Errorf("downloading %s: %w", source, err)
	}
	models, err := fromModelsDev(raw)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", source, err)
	}
	if len(models) < len(Builtin().Models)/2 {
		return nil, fmt.Errorf("%w: %d, not %d", ErrTooSmall, len(models), len(Builtin().Models))
	}
	table := &Table{Source: source, Date: time.Now().UTC().Format(time.DateOnly), Models: pointers(models)}
	text, err := encode(table)
	if err != nil {
		return nil, err
	}
	if _, err := decode(text); err != nil { // what Load would refuse is not written
		return nil, fmt.Errorf("reading %s: %w", source, err)
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o700); err != nil {
		return nil, fmt.Errorf("writing the catalogue: %w", err)
	}
	if err := file.Put(dest, text, 0o644); err != nil {
		return nil, fmt.Errorf("writing the catalogue: %w", err)
	}
	return table, nil
}

// shown is an address without what may be secret in it: passwords and tokens.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the table"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func download(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	var inURL *url.Error // says the address again
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if errors.As(err, &inURL) {
		return nil, inURL.Err
	}
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if errors.As(err, &inURL) {
		return nil, inURL.Err
	}
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
