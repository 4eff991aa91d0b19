package frames

// ID is a correlation id as the JSON it came as (a string, a number, null…),
// echoed byte for byte; nil when there was none.
type ID []byte
