//! `LIKE`: `%` stands for any text, `_` for any character.

/// A pattern of SQL's `LIKE`, without an escape character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Box<str>);

impl Pattern {
    /// A pattern.
    pub fn new(text: &str) -> Self {
        Pattern(text.into())
    }

    /// Whether the whole text is like the pattern.
    ///
    /// ```
    /// use incrowd_core::query::Pattern;
    /// assert!(Pattern::new("B_nn%").matches("Bonn am Rhein"));
    /// assert!(!Pattern::new("B_nn").matches("Bonn am Rhein"));
    /// ```
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text): (Vec<char>, Vec<char>) = (self.0.chars().collect(), text.chars().collect());
        // Where to go back to: the last `%`, and the text it was tried with. One is enough, as a later `%` can stand for
        // whatever an earlier one could.
        let (mut p, mut t, mut back) = (0, 0, None);
        while t < text.len() {
            if pattern.get(p) == Some(&'%') {
                back = Some((p, t));
                p += 1;
            } else if pattern.get(p).is_some_and(|&letter| letter == '_' || letter == text[t]) {
                (p, t) = (p + 1, t + 1);
            } else if let Some((star, tried)) = back {
                back = Some((star, tried + 1));
                (p, t) = (star + 1, tried + 1);
            } else {
                return false;
            }
        }
        pattern[p..].iter().all(|&letter| letter == '%')
    }

    /// Whether texts that begin like this are like the pattern; nothing when that depends on the rest.
    pub(super) fn on_prefix(&self, kept: &str) -> Option<bool> {
        let head: String = self.0.chars().take_while(|letter| !matches!(letter, '%' | '_')).collect();
        if !head.starts_with(kept) && !kept.starts_with(&head) {
            return Some(false);
        }
        let open = self.0[head.len()..].chars().all(|letter| letter == '%') && self.0.len() > head.len();
        if open && kept.starts_with(&head) { Some(true) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_matched_as_the_definition_says() {
        fn literally(pattern: &[u8], text: &[u8]) -> bool {
            match pattern.split_first() {
                None => text.is_empty(),
                Some((b'%', rest)) => (0..=text.len()).any(|skip| literally(rest, &text[skip..])),
                Some((b'_', rest)) => !text.is_empty() && literally(rest, &text[1..]),
                Some((letter, rest)) => text.first() == Some(letter) && literally(rest, &text[1..]),
            }
        }
        let words = |letters: &[u8], length: u32| {
            let base = letters.len();
            let word = |mut at: usize| {
                let mut word = String::new();
                for _ in 0..length {
                    word.push(char::from(letters[at % base]));
                    at /= base;
                }
                word
            };
            (0..base.pow(length)).map(word).collect::<Vec<_>>()
        };
        let texts: Vec<String> = (0..5).flat_map(|length| words(b"ab", length)).collect();
        for pattern in (0..5).flat_map(|length| words(b"ab%_", length)) {
            for text in &texts {
                let expected = literally(pattern.as_bytes(), text.as_bytes());
                assert_eq!(Pattern::new(&pattern).matches(text), expected, "{pattern} on {text}");
            }
            for kept in texts.iter().filter(|kept| kept.len() < 3) {
                let matching = texts.iter().filter(|text| text.starts_with(kept.as_str()));
                let outcomes: Vec<bool> = matching.map(|text| Pattern::new(&pattern).matches(text)).collect();
                if let Some(sure) = Pattern::new(&pattern).on_prefix(kept) {
                    assert!(outcomes.iter().all(|&one| one == sure), "{pattern} on {kept}…");
                }
            }
        }
    }
}
