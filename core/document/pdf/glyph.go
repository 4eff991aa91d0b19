package pdf

import (
	"strconv"
	"strings"
	"sync"
)

// names are the names of characters in fonts, in pairs; letters name themselves.
const names = `space   exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk * plus + comma ,
hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal =
greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _ grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~
quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright ›
endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡ perthousand ‰ trademark ™ copyright © registered ® degree ° section § paragraph ¶
fi fi fl fl ff ff ffi ffi ffl ffl germandbls ß AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł dotlessi ı Eth Ð eth ð Thorn Þ thorn þ
Aacute Á aacute á Agrave À agrave à Acircumflex Â acircumflex â Adieresis Ä adieresis ä Atilde Ã atilde ã Aring Å aring å Abreve Ă abreve ă Aogonek Ą aogonek ą
Cacute Ć cacute ć Ccaron Č ccaron č Ccedilla Ç ccedilla ç Dcaron Ď dcaron ď Eacute É eacute é Egrave È egrave è Ecircumflex Ê ecircumflex ê Edieresis Ë edieresis ë
Ecaron Ě ecaron ě Eogonek Ę eogonek ę Gbreve Ğ gbreve ğ Iacute Í iacute í Igrave Ì igrave ì Icircumflex Î icircumflex î Idieresis Ï idieresis ï
Nacute Ń nacute ń Ncaron Ň ncaron ň Ntilde Ñ ntilde ñ Oacute Ó oacute ó Ograve Ò ograve ò Ocircumflex Ô ocircumflex ô Odieresis Ö odieresis ö Otilde Õ otilde õ
Ohungarumlaut Ő ohungarumlaut ő Rcaron Ř rcaron ř Sacute Ś sacute ś Scaron Š scaron š Scedilla Ş scedilla ş Tcaron Ť tcaron ť Uacute Ú uacute ú Ugrave Ù ugrave ù
Ucircumflex Û ucircumflex û Udieresis Ü udieresis ü Uring Ů uring ů Uhungarumlaut Ű uhungarumlaut ű Yacute Ý yacute ý Ydieresis Ÿ ydieresis ÿ Zacute Ź zacute ź Zcaron Ž zcaron ž Zdotaccent Ż zdotaccent ż
exclamdown ¡ questiondown ¿ cent ¢ sterling £ yen ¥ Euro € currency ¤ brokenbar ¦ dieresis ¨ acute ´ cedilla ¸ circumflex ˆ tilde ˜ macron ¯ periodcentered ·
onehalf ½ onequarter ¼ threequarters ¾ onesuperior ¹ twosuperior ² threesuperior ³ ordfeminine ª ordmasculine º plusminus ± multiply × divide ÷ logicalnot ¬ mu µ
alpha α beta β gamma γ delta δ epsilon ε epsilon1 ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ phi1 φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω arrowleft ← arrowright → arrowup ↑ arrowdown ↓ arrowdblright ⇒ arrowdblleft ⇐
infinity ∞ partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ lessequal ≤ greaterequal ≥ notequal ≠ approxequal ≈ equivalence ≡ element ∈ union ∪ intersection ∩
emptyset ∅ universal ∀ existential ∃ logicaland ∧ logicalor ∨ similar ∼ proportional ∝ gradient ∇ fraction ⁄ checkmark ✓`

var byName = sync.OnceValue(func() map[string]string {
	words := strings.Fields(names)[1:] // space has no word of its own
	found := map[string]string{"space": " ", "nbspace": " ", "sfthyphen": "-", "hyphenminus": "-"}
	for i := 0; i+1 < len(words); i += 2 {
		found[words[i]] = words[i+1]
	}
	return found
})

// glyphText is the characters of a name, "" when it is unknown.
func glyphText(of string) string {
	of, _, _ = strings.Cut(of, ".") // a variant
	if text, ok := byName()[of]; ok {
		return text
	}
	if len([]rune(of)) == 1 {
		return of
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(of, "uni"), "u")
	if n, err := strconv.ParseUint(digits, 16, 21); err == nil && len(digits) >= 4 && digits != of {
		return string(rune(n))
	}
	return ""
}
