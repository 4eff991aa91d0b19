package message

// Bytes is about how many bytes the contents of a message take as JSON, without
// its keys.
func Bytes(m Message) int {
	switch m := m.(type) {
	case *User:
		return m.Content.Bytes()
	case *Developer:
		return m.Content.Bytes()
	case *Assistant:
		return m.Content.Bytes()
	case *ToolResult:
		return m.Content.Bytes() + len(m.Details)
	case *Custom:
		return m.Content.Bytes() + len(m.Details)
	case *BashExecution:
		return len(m.Command) + len(m.Output) + len(m.Meta)
	case *BranchSummary:
		return len(m.Summary)
	case *CompactionSummary:
		return len(m.Summary) + len(m.ShortSummary)
	}
	return 0
}

// Bytes is about how many bytes the blocks take as JSON, without their keys.
func (b Blocks) Bytes() (size int) {
	for _, block := range b {
		switch b := block.(type) {
		case *Text:
			size += len(b.Text)
		case *Thinking:
			size += len(b.Thinking) + len(b.Signature)
		case *RedactedThinking:
			size += len(b.Data)
		case *Image:
			size += len(b.Data)
		case *ToolCall:
			size += len(b.Arguments)
		case *UnknownBlock:
			size += len(b.Raw)
		}
	}
	return size
}
