package model

import "testing"

func TestClassifyKnowsProvidersWords(t *testing.T) {
	cases := []struct {
		status int
		text   string
		want   Class
	}{
		{400, "prompt is too long: 212000 tokens > 200000 maximum", ClassOverflow},
		{400, "This model's maximum context length is 128000 tokens. However, you requested 130000", ClassOverflow},
		{400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ClassOverflow},
		{400, "prompt token count of 70000 exceeds the limit of 64000", ClassOverflow},
		{500, "Your input exceeds the context window of this model.", ClassOverflow},
		{0, "context_length_exceeded", ClassOverflow},
		{400, "input length and `max_tokens` exceed context limit: 199999 + 21333 > 200000, decrease input length", ClassOverflow},
		{400, "Requested token count exceeds the model's maximum context length of 131072 tokens", ClassOverflow},
		{400, "Prompt contains 65673 tokens and is too large for model with 32768 maximum context length", ClassOverflow},
		{400, "Range of input length should be [1, 129024]", ClassOverflow},
		{400, "Request too large for gpt-4o: Requested 60000 tokens, the context window is 8192", ClassOverflow},
		{400, "prompt too long; exceeded max context length by 12 tokens", ClassOverflow},
		{422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097", ClassOverflow},
		{400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192", ClassOverflow},
		{400, "Prompt exceeds max length", ClassOverflow},
		{413, "", ClassOverflow},
		{400, " ", ClassOverflow},
		{400, "image size exceeds the limit of 5 MB", 0},
		{429, "Too many tokens, please wait before trying again.", ClassTransient},
		{429, "", ClassTransient},
		{429, "Rate limit reached for gpt-5", ClassTransient},
		{429, "You exceeded your current quota, please check your plan", ClassUsageLimit},
		{402, "Insufficient Balance", ClassUsageLimit},
		{403, "You have reached your monthly spending limit", ClassUsageLimit},
		{400, "Your credit balance is too low to access the Anthropic API", ClassUsageLimit},
		{401, "usage limit", ClassAuth},
		{403, "forbidden", ClassAuth},
		{400, "API key not valid. Please pass a valid API key.", ClassAuth},
		{408, "x", ClassTransient},
		{529, "Overloaded", ClassTransient},
		{503, "x", ClassTransient},
		{400, "Provider returned error", ClassTransient},
		{400, "invalid parameter: timeout", 0},
		{0, "The operation timed out", ClassTransient},
		{400, "The response was filtered: content_filter", ClassContentBlocked},
		{404, "model not found", 0},
		{422, "unknown field", 0},
	}
	for _, c := range cases {
		if got := Classify(c.status, c.text); got != c.want {
			t.Errorf("Classify(%d, %q) = %#x, want %#x", c.status, c.text, got, c.want)
		}
	}
}

func TestErrorIDHoldsMarkerAndClassOrTheBareStatus(t *testing.T) {
	for _, c := range []struct {
		err       Error
		id        int
		retryable bool
	}{
		{Error{Status: 418}, 418, false},
		{Error{Status: 529, Class: ClassTransient}, 0x21000, true},
		{Error{Class: ClassTransient | ClassTimeout}, 0x61000, true},
		{Error{Class: ClassUsageLimit}, 0x81000, true},
		{Error{Class: ClassOverflow, Status: 400}, 0x801000, false},
		{Error{Class: ClassTransient | ClassContentBlocked}, 0x29000, false},
	} {
		if c.err.ID() != c.id || c.err.Retryable() != c.retryable {
			t.Errorf("%+v: ID %#x, retryable %v; want %#x, %v", c.err, c.err.ID(), c.err.Retryable(), c.id, c.retryable)
		}
	}
}
