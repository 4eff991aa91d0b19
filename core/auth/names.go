package auth

import "strings"

// EnvNames are the environment variables that hold a provider's API key; the
// first one set wins. Source: facts/platform 3.2.
var EnvNames = map[string][]string{
	"aimlapi":               {"AIMLAPI_API_KEY"},
	"alibaba-coding-plan":   {"ALIBABA_CODING_PLAN_API_KEY"},
	"anthropic":             {"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"},
	"azure":                 {"AZURE_OPENAI_API_KEY"},
	"baseten":               {"BASETEN_API_KEY"},
	"cerebras":              {"CEREBRAS_API_KEY"},
	"cloudflare-ai-gateway": {"CLOUDFLARE_AI_GATEWAY_API_KEY"},
	"coreweave":             {"COREWEAVE_API_KEY", "WANDB_API_KEY"},
	"cursor":                {"CURSOR_ACCESS_TOKEN"},
	"deepseek":              {"DEEPSEEK_API_KEY"},
	"devin":                 {"DEVIN_API_KEY"},
	"firepass":              {"FIREPASS_API_KEY"},
	"fireworks":             {"FIREWORKS_API_KEY"},
	"github-copilot":        {"COPILOT_GITHUB_TOKEN"},
	"google":                {"GEMINI_API_KEY"},
	"google-vertex":         {"GOOGLE_CLOUD_API_KEY"},
	"groq":                  {"GROQ_API_KEY"},
	"huggingface":           {"HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"},
	"kilo":                  {"KILO_API_KEY"},
	"litellm":               {"LITELLM_API_KEY"},
	"llama.cpp":             {"LLAMA_CPP_API_KEY"},
	"lm-studio":             {"LM_STUDIO_API_KEY"},
	"minimax":               {"MINIMAX_API_KEY"},
	"minimax-code":          {"MINIMAX_CODE_API_KEY"},
	"minimax-code-cn":       {"MINIMAX_CODE_CN_API_KEY"},
	"mistral":               {"MISTRAL_API_KEY"},
	"moonshot":              {"MOONSHOT_API_KEY", "KIMI_API_KEY"},
	"nanogpt":               {"NANO_GPT_API_KEY"},
	"novita":                {"NOVITA_API_KEY"},
	"nvidia":                {"NVIDIA_API_KEY"},
	"ollama":                {"OLLAMA_API_KEY"},
	"ollama-cloud":          {"OLLAMA_CLOUD_API_KEY"},
	"openai":                {"OPENAI_API_KEY"},
	"openai-codex":          {"OPENAI_CODEX_OAUTH_TOKEN"},
	"opencode-go":           {"OPENCODE_API_KEY"},
	"opencode-zen":          {"OPENCODE_API_KEY"},
	"openrouter":            {"OPENROUTER_API_KEY"},
	"qianfan":               {"QIANFAN_API_KEY"},
	"qwen-portal":           {"QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"},
	"sakana":                {"SAKANA_API_KEY", "FUGU_API_KEY"},
	"synthetic":             {"SYNTHETIC_API_KEY"},
	"together":              {"TOGETHER_API_KEY"},
	"umans":                 {"UMANS_AI_CODING_PLAN_API_KEY"},
	"venice":                {"VENICE_API_KEY"},
	"vercel-ai-gateway":     {"AI_GATEWAY_API_KEY"},
	"vllm":                  {"VLLM_API_KEY"},
	"wafer-serverless":      {"WAFER_SERVERLESS_API_KEY"},
	"xai":                   {"XAI_API_KEY"},
	"xai-oauth":             {"XAI_OAUTH_TOKEN", "XAI_API_KEY"},
	"xiaomi":                {"XIAOMI_API_KEY"},
	"xiaomi-token-plan-ams": {"XIAOMI_TOKEN_PLAN_AMS_API_KEY"},
	"xiaomi-token-plan-cn":  {"XIAOMI_TOKEN_PLAN_CN_API_KEY"},
	"xiaomi-token-plan-sgp": {"XIAOMI_TOKEN_PLAN_SGP_API_KEY"},
	"zai":                   {"ZAI_API_KEY"},
	"zenmux":                {"ZENMUX_API_KEY"},
	"zhipu-coding-plan":     {"ZHIPU_API_KEY"},

	// Services that search the web.
	"brave":      {"BRAVE_API_KEY"},
	"exa":        {"EXA_API_KEY"},
	"jina":       {"JINA_API_KEY"},
	"kagi":       {"KAGI_API_KEY"},
	"parallel":   {"PARALLEL_API_KEY"},
	"perplexity": {"PERPLEXITY_API_KEY"},
	"serper":     {"SERPER_API_KEY"},
	"tavily":     {"TAVILY_API_KEY"},
}

// otherSecrets hold keys too, but of no model provider one can ask. Keys that
// commands of the user need themselves (AWS_*, GITLAB_TOKEN, GOOGLE_APPLICATION_CREDENTIALS)
// are left to them.
var otherSecrets = []string{
	"ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "GOOGLE_API_KEY", "VEYYON_AUTH_BROKER_TOKEN",
}

// StripSecrets returns the environment (NAME=VALUE each) for a child process:
// without the variables that hold keys of providers, nor those in more (the
// names that models.yml mentions). The argument is not changed.
func StripSecrets(environ []string, more ...string) []string {
	secret := make(map[string]bool, len(EnvNames)+len(otherSecrets)+len(more))
	for _, names := range EnvNames {
		mark(secret, names)
	}
	mark(secret, otherSecrets)
	mark(secret, more)
	kept := make([]string, 0, len(environ))
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); !secret[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}

func mark(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}
