//! Texts that someone else wrote, made safe to show.
//!
//! Escaping is the template's work. What it leaves is the direction of text: a name with a right-to-left override could
//! turn "not promised" around it into something else. So such marks are written out, and every foreign text is
//! isolated.

use maud::{Markup, html};

/// The text with control characters and marks of direction written out, and lines joined.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => shown.push(' '),
            letter if is_hidden(letter) => shown.push_str(&format!("‹U+{:04X}›", u32::from(letter))),
            letter => shown.push(letter),
        }
    }
    shown
}

/// Letters that change what is around them, or that no one sees.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter),
            0x00AD | 0x061C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB
            | 0xE0000..=0xE007F)
}

/// A name: of a column, a file, a model.
pub(crate) fn name(text: &str) -> Markup {
    let shown = plain(text);
    html! {
        @if shown.trim().is_empty() { span.none { "(no name)" } }
        @else if is_long(text) { bdi.name.long { (shown) } }
        @else { bdi.name { (shown) } }
    }
}

/// Whether a text has to be broken anywhere to fit a page, where others keep together.
pub(crate) fn is_long(text: &str) -> bool {
    plain(text).chars().count() > 28
}

/// A sentence of the dossier. What stands between two backticks is a command, if every backtick has its partner.
pub(crate) fn words(text: &str) -> Markup {
    let shown = plain(text);
    let pieces: Vec<&str> = shown.split('`').collect();
    html! {
        bdi {
            @if pieces.len().is_multiple_of(2) { (shown) }
            @else { @for (at, piece) in pieces.iter().enumerate() {
                @if at.is_multiple_of(2) { (piece) } @else { code { (piece) } }
            } }
        }
    }
}

/// At most this many letters, for pictures, where text does not wrap.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let shown = plain(text);
    if shown.trim().is_empty() {
        return "(no name)".into();
    }
    if shown.chars().count() <= most {
        return shown;
    }
    shown.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The first letter as a capital, to begin a sentence with a word of a list.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Lines that keep their form: a plan, a command.
pub(crate) fn lines(text: &str) -> Markup {
    let shown: Vec<String> = text.lines().map(plain).collect();
    html! { pre tabindex="0" { code { (shown.join("\n")) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_direction_are_written_out_and_letters_are_kept() {
        assert_eq!(plain("a\u{202E}b\u{2066}c\0d\u{200B}"), "a‹U+202E›b‹U+2066›c‹U+0000›d‹U+200B›");
        assert_eq!(plain("Größe, שם, 名前"), "Größe, שם, 名前");
        assert_eq!(name(" ").into_string(), "<span class=\"none\">(no name)</span>");
        assert_eq!(name("<b>\"x\"").into_string(), "<bdi class=\"name\">&lt;b&gt;&quot;x&quot;</bdi>");
    }

    #[test]
    fn commands_stand_between_backticks_that_have_a_partner() {
        assert_eq!(words("run `a <b>` now").into_string(), "<bdi>run <code>a &lt;b&gt;</code> now</bdi>");
        assert_eq!(words("`a").into_string(), "<bdi>`a</bdi>");
    }

    #[test]
    fn a_clipped_text_has_at_most_so_many_letters() {
        assert_eq!(clip("native-country", 8), "native-…");
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("", 3), "(no name)");
    }
}
