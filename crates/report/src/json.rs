//! Writing JSON that may stand inside a `<script>` element, and base64 for long columns of numbers.
//!
//! Whatever could end the element or be read as markup (`<`, `>`, `&`) is written as `\u00..`, so a
//! part that is called `</script>` does no harm. Numbers that JSON has no words for become `null`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fmt::Write;

/// A JSON text in the making; commas come by themselves.
pub(crate) struct Json {
    text: String,
    /// Whether the next value or key is the first of its list, and so has no comma before it.
    first: bool,
}

impl Json {
    /// Nothing yet, with room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), first: true }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn separate(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
    }

    /// Names the value that follows.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.text.push(':');
        self.first = true;
        self
    }

    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.enclose(['{', '}'], fill);
    }

    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        each: impl Fn(&mut Self, T),
    ) {
        self.enclose(['[', ']'], |json| items.into_iter().for_each(|item| each(json, item)));
    }

    fn enclose(&mut self, [open, close]: [char; 2], fill: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(open);
        self.first = true;
        fill(self);
        self.text.push(close);
        self.first = false;
    }

    pub(crate) fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for c in value.chars() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}' | '\0'..='\u{1f}' => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
                _ => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    pub(crate) fn number(&mut self, value: f64) {
        self.separate();
        if value.is_finite() {
            // The debug form is the shortest that reads back as the same bits, and valid JSON.
            let _ = write!(self.text, "{value:?}");
        } else {
            self.text.push_str("null");
        }
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.separate();
        let _ = write!(self.text, "{value}");
    }

    pub(crate) fn boolean(&mut self, value: bool) {
        self.separate();
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub(crate) fn null(&mut self) {
        self.separate();
        self.text.push_str("null");
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        self.array(values, |json, &value| json.number(value));
    }

    /// A column of numbers as base64 of their bytes, the low one first.
    pub(crate) fn column<const N: usize>(&mut self, values: impl Iterator<Item = [u8; N]>) {
        self.separate();
        self.text.push('"');
        let mut values = values.fuse();
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            // All but the last block are full, hence of whole triples: nothing is padded between.
            block.extend(values.by_ref().take(BLOCK / N).flatten());
            if block.is_empty() {
                break;
            }
            BASE64_STANDARD.encode_string(&block, &mut self.text);
            block.clear();
        }
        self.text.push('"');
    }
}

/// So many bytes are encoded at a time; a multiple of 3 and of all lengths of numbers.
const BLOCK: usize = 12_288;

/// Text as HTML shows it, also inside the quotes of an attribute.
pub(crate) fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Not allowed in HTML, even escaped.
            '\0' => safe.push('\u{fffd}'),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(fill: impl FnOnce(&mut Json)) -> String {
        let mut json = Json::with_capacity(0);
        fill(&mut json);
        json.into_text()
    }

    /// Decodes letter by letter, by the definition.
    pub(crate) fn decoded(text: &str) -> Vec<u8> {
        let value = |c: char| match c {
            'A'..='Z' => c as u32 - 'A' as u32,
            'a'..='z' => c as u32 - 'a' as u32 + 26,
            '0'..='9' => c as u32 - '0' as u32 + 52,
            '+' => 62,
            '/' => 63,
            _ => panic!("{c} is no letter of base64"),
        };
        let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
        for c in text.trim_end_matches('=').chars() {
            bits = bits << 6 | value(c);
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push((bits >> held) as u8);
                bits &= (1 << held) - 1;
            }
        }
        bytes
    }

    proptest! {
        #[test]
        fn strings_and_numbers_are_read_back(text in any::<String>(), value in any::<f64>()) {
            let json = written(|json| json.object(|json| {
                json.key(&text).string(&text);
                json.key("n").numbers(&[value, 1.0]);
            }));
            prop_assert!(!json.contains(['<', '>', '&']), "{json}");
            // Two equal keys would be one entry; the test string is hardly ever `n`.
            prop_assume!(text != "n");
            let read: serde_json::Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(read[&text].as_str(), Some(text.as_str()));
            prop_assert_eq!(read["n"][0].is_number(), value.is_finite());
            // That reader rounds; what JSON says of numbers, and browsers do, is the nearest f64.
            let (_, number) = json.rsplit_once("[").unwrap();
            let number = number.split(',').next().unwrap().parse::<f64>().ok();
            prop_assert_eq!(number, value.is_finite().then_some(value));
        }

        #[test]
        fn columns_are_read_back(values in prop::collection::vec(any::<u16>(), 0..20_000)) {
            let json = written(|json| json.column(values.iter().map(|v| v.to_le_bytes())));
            let text = json.trim_matches('"');
            prop_assert_eq!(text.len() % 4, 0);
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            prop_assert_eq!(decoded(text), bytes);
        }
    }

    #[test]
    fn what_base64_is_known_to_be() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            let json = written(|json| json.column(bytes.bytes().map(|b| [b])));
            assert_eq!(json, format!("\"{text}\""));
        }
    }

    #[test]
    fn lists_have_commas_between_and_nowhere_else() {
        let json = written(|json| {
            json.object(|json| {
                json.key("a").array([1, 2], |json, n| json.count(n));
                json.key("b").array([0; 0], |json, n| json.count(n));
                json.key("c").null();
                json.key("d").boolean(true);
                json.key("e").number(f64::NAN);
                json.key("f").array([()], |json, ()| json.object(|_| ()));
            });
        });
        assert_eq!(json, r#"{"a":[1,2],"b":[],"c":null,"d":true,"e":null,"f":[{}]}"#);
    }

    #[test]
    fn html_is_escaped() {
        assert_eq!(
            escape_html("<a b=\"c\" & 'd'>\0"),
            "&lt;a b=&quot;c&quot; &amp; &#39;d&#39;&gt;\u{fffd}"
        );
    }
}
