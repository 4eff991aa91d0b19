package message

// Plus is the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		TotalTokens: u.TotalTokens + v.TotalTokens, ReasoningTokens: u.ReasoningTokens + v.ReasoningTokens,
		Cost: Cost{
			Input: u.Cost.Input + v.Cost.Input, Output: u.Cost.Output + v.Cost.Output, CacheRead: u.Cost.CacheRead + v.Cost.CacheRead,
			CacheWrite: u.Cost.CacheWrite + v.Cost.CacheWrite, Total: u.Cost.Total + v.Cost.Total,
		},
	}
}
