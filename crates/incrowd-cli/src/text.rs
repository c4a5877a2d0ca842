//! Texts for a terminal: made harmless, measured, cut and wrapped.

use unicode_width::UnicodeWidthStr;

/// Text from a file, made harmless for a terminal and kept on one line.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|letter| if obeyed(letter) { '\u{fffd}' } else { letter }).collect()
}

/// Whether a terminal obeys the character instead of showing it: it could move the cursor, hide a line or turn the
/// order of letters around.
pub(crate) fn obeyed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The width a person sees, escape sequences not counted.
pub(crate) fn visible(text: &str) -> usize {
    let mut width = 0;
    let mut rest = text;
    while let Some(start) = rest.find('\x1b') {
        let end = rest[start..].find('m').map_or(rest.len(), |end| start + end + 1);
        width += rest[..start].width();
        rest = &rest[end..];
    }
    width + rest.width()
}

/// Cuts a text into lines at its spaces. The first line begins at one column, the others at another; a line holds at
/// least one word, and at least 16 columns however far it is indented.
pub(crate) fn wrap(text: &str, width: usize, first: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut at, mut end) = (first, width.max(first + 16));
    // A number and its percent sign stay together.
    let text = text.replace(" %", "\0%");
    for word in text.split(' ').map(|word| word.replace('\0', " ")) {
        let line = lines.len() - 1;
        let space = usize::from(!lines[line].is_empty());
        if space == 1 && at + space + visible(&word) > end {
            (at, end) = (indent + visible(&word), width.max(indent + 16));
            lines.push(word);
        } else {
            lines[line] += &format!("{}{word}", " ".repeat(space));
            at += space + visible(&word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_percent_sign_stand_on_one_line() {
        assert_eq!(wrap("for the people 53 % of them", 18, 0, 0), ["for the people", "53 % of them"]);
    }

    #[test]
    fn colours_take_no_room_on_a_line() {
        let plain = "one two three four five six seven";
        let painted = "\x1b[1mone\x1b[0m two \x1b[31mthree four\x1b[0m five six seven";
        let lengths = |text| wrap(text, 24, 2, 2).iter().map(|line| visible(line)).collect::<Vec<_>>();
        assert_eq!(lengths(plain), [18, 14]);
        assert_eq!(lengths(painted), lengths(plain));
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_as_a_mark() {
        assert_eq!(plain("a\x1b[31m\r\n\u{9b}\u{202e}é漢"), "a\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}é漢");
    }
}
