package config

import "maps"

// lookup returns the value at path.
func lookup(tree map[string]any, path []string) (any, bool) {
	for i, name := range path {
		v, ok := tree[name]
		if !ok || i == len(path)-1 {
			return v, ok
		}
		if tree, ok = v.(map[string]any); !ok {
			return nil, false
		}
	}
	return nil, false
}

// put sets the value at path and makes the mappings on the way.
func put(tree map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		tree = next
	}
	tree[path[len(path)-1]] = value
}

// drop takes the value at path away.
func drop(tree map[string]any, path []string) {
	if len(path) > 1 {
		parent, _ := lookup(tree, path[:len(path)-1])
		tree, _ = parent.(map[string]any)
	}
	delete(tree, path[len(path)-1])
}

// merge lays upper over lower and returns the result: mappings are merged,
// anything else replaces. Neither is changed.
func merge(lower, upper map[string]any) map[string]any {
	out := maps.Clone(lower)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range upper {
		if up, ok := value.(map[string]any); ok {
			low, _ := out[name].(map[string]any)
			value = merge(low, up)
		}
		out[name] = value
	}
	return out
}
