//! Names and texts that want to be more than text.

#![allow(clippy::unwrap_used)]

mod support;

use incrowd_report::dossier::{EXAMPLE, InternalDossier};
use incrowd_report::{internal, public};
use serde_json::Value;
use support::parse;

const WORDS: [&str; 9] = [
    "</style></title><script>alert(1)</script>",
    "\" onmouseover=\"alert(1)",
    "' onload='alert(1)' <img src=x onerror=alert(1)>",
    "</svg></figure><!-- ",
    "a\u{202E}dlrow\u{2066}\u{200F}b\u{061C}",
    "\0\u{1}\u{7f}\r\n\t",
    "",
    "javascript:alert(1)",
    "]]>&lt;b&gt;&amp;#x3c;",
];

/// Puts a word into every text of the example, except those that a type reads as one of its own words.
fn poisoned(word: &str) -> InternalDossier {
    fn poison(value: &mut Value, word: &str) {
        match value {
            Value::String(text) => *text = word.to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| poison(item, word)),
            Value::Object(fields) => fields
                .iter_mut()
                .filter(|(key, _)| !CLOSED.contains(&key.as_str()))
                .for_each(|(_, value)| poison(value, word)),
            _ => {}
        }
    }
    const CLOSED: [&str; 18] = [
        "evidence",
        "kind",
        "standing",
        "role",
        "technique",
        "counted",
        "drawn",
        "release_model",
        "adversary",
        "rule",
        "test",
        "severity",
        "people",
        "withheld",
        "withheld_share",
        "share",
        "unchanged",
        "repeatability",
    ];
    let mut dossier: Value = serde_json::from_str(EXAMPLE).unwrap();
    let withheld = dossier["withheld_for"].take();
    poison(&mut dossier, word);
    dossier["withheld_for"] = withheld;
    serde_json::from_value(dossier).unwrap()
}

#[test]
fn hostile_texts_stay_texts_wherever_they_stand() {
    let calm: Vec<String> = parse(&internal(&poisoned("calm"))).tags.into_iter().map(|tag| tag.0).collect();
    for word in WORDS.into_iter().filter(|word| !word.is_empty()) {
        let page = parse(&internal(&poisoned(word)));
        let tags: Vec<String> = page.tags.iter().map(|tag| tag.0.clone()).collect();
        assert!(tags == calm, "{word:?} changes the elements of the page");
    }
    for word in WORDS {
        let dossier = poisoned(word);
        for html in [internal(&dossier), public(&dossier.public)] {
            let page = parse(&html);
            assert_eq!(page.count("script") + page.count("img"), 0, "{word:?}");
            let events = page.tags.iter().flat_map(|tag| &tag.1).filter(|(name, _)| name.starts_with("on"));
            assert_eq!(events.count(), 0, "{word:?}");
            assert!(page.attributes("href").iter().all(|href| href.starts_with('#')), "{word:?}");
        }
    }
}

#[test]
fn marks_of_direction_and_control_characters_never_reach_the_page() {
    for word in WORDS {
        let html = internal(&poisoned(word));
        let bad = html.chars().find(|&letter| {
            letter.is_control() && letter != '\n'
                || matches!(u32::from(letter), 0x061C | 0x200B..=0x200F | 0x202A..=0x202E | 0x2066..=0x2069)
        });
        assert_eq!(bad, None, "{word:?}");
    }
    assert!(internal(&poisoned("a\u{202E}b")).contains("<bdi class=\"name\">a‹U+202E›b</bdi>"));
}

#[test]
fn an_empty_name_is_said_and_a_very_long_one_is_clipped_in_pictures_only() {
    assert!(internal(&poisoned("")).contains("(no name)"));
    let long = "x".repeat(3_000);
    let html = internal(&poisoned(&long));
    parse(&html);
    assert!(html.contains(&format!("<bdi class=\"name long\">{long}</bdi>")));
    for svg in html.split("<g aria-hidden=\"true\">").skip(1) {
        let drawing = &svg[..svg.find("</svg>").unwrap()];
        assert!(!drawing.contains(&long[..60]), "a picture has a label of 60 letters");
    }
}
