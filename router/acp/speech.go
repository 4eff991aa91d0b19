package acp

// The catalogue of models for speech on the device (facts/acp 13).

type speechChoice struct {
	Value       string         `json:"value"`
	Label       string         `json:"label"`
	Description string         `json:"description,omitempty"`
	Voices      []speechChoice `json:"voices,omitempty"`
}

type speechToText struct {
	Setting      string         `json:"setting"`
	DefaultValue string         `json:"defaultValue"`
	Models       []speechChoice `json:"models"`
}

type textToSpeech struct {
	ModelSetting       string         `json:"modelSetting"`
	VoiceSetting       string         `json:"voiceSetting"`
	SpeechVoiceSetting string         `json:"speechVoiceSetting"`
	DefaultModel       string         `json:"defaultModel"`
	DefaultVoice       string         `json:"defaultVoice"`
	Models             []speechChoice `json:"models"`
	Voices             []speechChoice `json:"voices"`
}

type speechModels struct {
	Settings     map[string]string `json:"settings"`
	Defaults     map[string]string `json:"defaults"`
	SpeechToText speechToText      `json:"speechToText"`
	TextToSpeech textToSpeech      `json:"textToSpeech"`
}

func speechCatalog() speechModels {
	voices := []speechChoice{
		{Value: "af_heart", Label: "Heart (American female)"},
		{Value: "af_bella", Label: "Bella (American female)"},
		{Value: "af_nicole", Label: "Nicole (American female)"},
		{Value: "af_aoede", Label: "Aoede (American female)"},
		{Value: "af_kore", Label: "Kore (American female)"},
		{Value: "af_sarah", Label: "Sarah (American female)"},
		{Value: "am_michael", Label: "Michael (American male)"},
		{Value: "am_fenrir", Label: "Fenrir (American male)"},
		{Value: "am_puck", Label: "Puck (American male)"},
		{Value: "bf_emma", Label: "Emma (British female)"},
		{Value: "bm_george", Label: "George (British male)"},
		{Value: "bm_fable", Label: "Fable (British male)"},
	}
	return speechModels{
		Settings: map[string]string{
			"speechToTextModel": "stt.modelName", "textToSpeechModel": "tts.localModel", "textToSpeechVoice": "tts.localVoice", "speechVoice": "speech.voice",
		},
		Defaults: map[string]string{"speechToTextModel": "parakeet", "textToSpeechModel": "kokoro", "voice": "af_heart"},
		SpeechToText: speechToText{Setting: "stt.modelName", DefaultValue: "parakeet", Models: []speechChoice{
			{Value: "fast", Label: "Fast (Whisper base)", Description: "Small and quick."},
			{Value: "balanced", Label: "Balanced (Whisper small)", Description: "Between the two."},
			{Value: "turbo", Label: "Turbo (Whisper large-v3)", Description: "Large, and more exact."},
			{Value: "parakeet", Label: "Parakeet TDT v3 (SoTA)", Description: "The most exact one."},
		}},
		TextToSpeech: textToSpeech{
			ModelSetting: "tts.localModel", VoiceSetting: "tts.localVoice", SpeechVoiceSetting: "speech.voice",
			DefaultModel: "kokoro", DefaultVoice: "af_heart", Voices: voices,
			Models: []speechChoice{{Value: "kokoro", Label: "Kokoro-82M", Description: "Small, with all voices.", Voices: voices}},
		},
	}
}
