package model

import "strings"

// Classify tells what kind of failure a provider's answer reports: from its
// HTTP status (0 when there was none) and the provider's own words, since many
// send a plain 400 for what others have a status for. It is 0 when nothing is
// recognised. Source: facts/agent 5.2.
func Classify(status int, text string) Class {
	text = strings.ToLower(text)
	switch {
	case mentions(text, blockedTexts):
		return ClassContentBlocked
	case status != 429 && mentions(text, overflowTexts): // a 429 counts tokens a minute
		return ClassOverflow
	case status == 413, status == 400 && strings.TrimSpace(text) == "":
		return ClassOverflow // some gateways say no more than that
	case status == 401:
		return ClassAuth
	case mentions(text, usageTexts) && !serverFault(status):
		return ClassUsageLimit
	case status == 403, mentions(text, authTexts):
		return ClassAuth
	case status == 408, status == 429, serverFault(status):
		return ClassTransient
	case status < 400 && mentions(text, transientTexts), mentions(text, busyTexts):
		return ClassTransient
	default:
		return 0
	}
}

func serverFault(status int) bool { return status >= 500 && status <= 599 }

// The words by which providers are recognised, in lower case. "…" stands for
// anything between.
var (
	blockedTexts = []string{
		"content_filter", "content management policy", "content_policy_violation", "responsibleaipolicyviolation",
	}
	overflowTexts = []string{
		"prompt is too long", "input is too long for requested model", "exceeds the context window",
		"input token count … exceeds the maximum", "maximum prompt length is", "reduce the length of the messages",
		"maximum context length", "token count … exceeds the limit of", "exceeds the available context size",
		"context_length_exceeded", "too many tokens", "token limit exceeded", "request_too_large", "payload too large",
		"413 … too large", "model_context_window_exceeded", "greater than the context length",
		"context window exceeds limit", "exceeded model token limit", "exceed context limit", "exceeded max context length",
		"range of input length should be", "the context window is", "longer than the maximum model length",
		"prompt exceeds max length", "tokens + `max_new_tokens` must be",
	}
	usageTexts = []string{
		"usage limit", "usage_limit", "limit_reached", "quota exceeded", "exceeded your current quota", "insufficient_quota",
		"insufficient quota", "resource_exhausted", "resource exhausted", "resource has been exhausted",
		"insufficient balance", "insufficient credit", "credit balance is too low", "out of credits", "spending limit",
		"billing_error",
	}
	authTexts = []string{
		"invalid api key", "invalid_api_key", "incorrect api key", "api key not valid", "authentication_error",
		"permission_error", "invalid x-api-key",
	}
	busyTexts = []string{ // said with any status
		"overloaded", "provider returned error", "rate limit", "rate_limit", "too many requests", "service unavailable",
	}
	transientTexts = []string{ // said without a status that means something else
		"429", "500", "502", "503", "504", "529", "server error", "server_error", "internal error", "internal_error",
		"retry your request", "try again", "network error", "connection error", "connection refused", "fetch failed",
		"upstream connect", "upstream request failed", "reset before headers", "socket hang up", "timed out", "timeout",
		"terminated", "stream stall", "http2", "stream read error", "unexpected socket close", "unavailable", "api_error",
	}
)

func mentions(text string, phrases []string) bool {
	for _, phrase := range phrases {
		if mentionsOne(text, phrase) {
			return true
		}
	}
	return false
}

func mentionsOne(text, phrase string) bool {
	first, rest, two := strings.Cut(phrase, " … ")
	at := strings.Index(text, first)
	if at < 0 || !two {
		return at >= 0
	}
	return strings.Contains(text[at+len(first):], rest)
}
