//! The pages as pages: well formed, self-contained, readable without sight, whatever parts of a dossier are missing.

#![allow(clippy::unwrap_used)]

mod support;

use incrowd_report::dossier::{
    Adversary, AdversaryVerdict, Conclusion, DossierKind, EXAMPLE, InternalDossier, PublicDossier, Standing,
};
use incrowd_report::{internal, public};
use serde_json::Value;
use support::{example, parse};

#[test]
fn both_editions_are_well_formed_and_link_only_within() {
    for html in [public(&example().public), internal(&example())] {
        let page = parse(&html);
        for href in page.attributes("href") {
            let id = href.strip_prefix('#').expect("a link within the page");
            assert!(page.ids.contains(id), "{id} is not there");
        }
        assert_eq!(page.count("h1"), 1);
        assert_eq!(page.count("main"), 1);
    }
}

#[test]
fn a_page_loads_nothing_and_runs_nothing() {
    for html in [public(&example().public), internal(&example())] {
        let page = parse(&html);
        for name in ["script", "link", "img", "iframe", "object", "embed", "form", "base", "image", "use"] {
            assert_eq!(page.count(name), 0, "{name}");
        }
        assert!(page.attributes("src").is_empty() && page.attributes("style").is_empty());
        let events = page.tags.iter().flat_map(|tag| &tag.1).filter(|(name, _)| name.starts_with("on"));
        assert_eq!(events.count(), 0);
        assert!(!html.contains("url(") && !html.contains("@import") && !html.contains("://"));
        let policy = "default-src 'none'; style-src 'unsafe-inline'";
        assert!(page.attributes("content").contains(&policy));
        assert!(html.contains("<html lang=\"en\">"));
    }
}

#[test]
fn every_picture_has_a_title_a_description_a_sentence_and_its_data() {
    for (html, pictures) in [(public(&example().public), 8), (internal(&example()), 11)] {
        let page = parse(&html);
        assert_eq!(page.count("svg"), pictures);
        assert_eq!(page.count("figure"), pictures);
        for figure in html.split("<figure ").skip(1) {
            let figure = &figure[..figure.find("</figure>").unwrap()];
            let svg = &figure[figure.find("<svg ").unwrap()..figure.find("</svg>").unwrap()];
            assert!(svg.contains("role=\"img\"") && svg.contains("aria-labelledby="), "{figure}");
            for part in ["<title id=", "<desc id="] {
                let text = svg.split(part).nth(1).unwrap();
                assert!(text[text.find('>').unwrap() + 1..text.find('<').unwrap()].len() > 5, "{part}");
            }
            let caption = &figure[figure.find("<figcaption>").unwrap()..figure.find("</figcaption>").unwrap()];
            assert!(caption.contains("<h3>") && caption.contains("<p>"));
            let data = &figure[figure.find("<details>").unwrap()..];
            assert!(data.contains("<table ") && data.matches("<tr ").count() >= 2, "{data}");
        }
    }
}

#[test]
fn every_role_has_its_letter_and_its_word() {
    let html = public(&example().public);
    for (class, letter, word) in [
        ("role-i", "I", "identifier"),
        ("role-p", "P", "subject"),
        ("role-q", "Q", "quasi-identifier"),
        ("role-s", "S", "sensitive"),
        ("role-n", "N", "insensitive"),
    ] {
        let badge = format!(
            "<span class=\"badge {class}\" title=\"{word}\"><span aria-hidden=\"true\">{letter}</span>\
             <span class=\"unseen\">{word}</span></span>"
        );
        assert!(html.contains(&badge), "{word}");
    }
}

/// Takes every key and every list away in turn, wherever it stands, and renders what can still be read.
#[test]
fn a_dossier_with_any_part_missing_is_still_a_page() {
    let whole: Value = serde_json::from_str(EXAMPLE).unwrap();
    let mut rendered = 0;
    for place in places(&whole, "") {
        let mut less = whole.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        match less.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.remove(key)),
            Value::Array(items) => drop(items.remove(key.parse().unwrap())),
            _ => unreachable!("only these have parts"),
        }
        let Ok(dossier) = serde_json::from_value::<InternalDossier>(less) else { continue };
        parse(&internal(&dossier));
        parse(&public(&dossier.public));
        rendered += 1;
    }
    assert!(rendered > 100, "{rendered} dossiers were rendered");
}

/// The places of all parts down to the third level.
fn places(value: &Value, at: &str) -> Vec<String> {
    if at.matches('/').count() > 2 {
        return Vec::new();
    }
    let parts: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, part)| (key.clone(), part)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(key, part)| (key.to_string(), part)).collect(),
        _ => Vec::new(),
    };
    let below = |(key, part): (String, &Value)| {
        let place = format!("{at}/{key}");
        let inner = places(part, &place);
        std::iter::once(place).chain(inner).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(below).collect()
}

#[test]
fn the_report_of_a_mere_check_says_what_it_does_not_state() {
    let sentence = "Classes are too small.".to_owned();
    let conclusion = Conclusion { standing: Standing::Fails, sentence };
    let mut dossier = PublicDossier::new(DossierKind::Check, "visits.csv", 10, conclusion);
    dossier.data.rows = Some(120);
    let html = public(&dossier);
    let page = parse(&html);
    assert!(page.text.contains("The table should not be released unchanged."), "{}", page.text);
    assert!(page.text.contains("Not covered in this report"));
    assert!(page.text.contains("not stated here"));
    assert_eq!(page.count("svg"), 0);
}

#[test]
fn the_first_screen_says_what_it_is_what_is_promised_and_what_is_not() {
    let html = public(&example().public);
    let first = &html[html.find("<header>").unwrap()..html.find("</header>").unwrap()];
    for part in ["What this is", "What is promised", "What is not promised", "The promises hold."] {
        assert!(first.contains(part), "{part}");
    }
    assert!(first.contains("each person is indistinguishable from at least four others"));
    assert!(first.contains("who have another release of the same people"));
}

#[test]
fn the_forms_of_others_and_the_lines_to_sign_are_there() {
    let text = parse(&public(&example().public)).text;
    for words in
        ["ISO/IEC 27559", "Clause 9", "Health Canada", "opinion 05/2014", "motivated", "Data protection officer"]
    {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn a_policy_for_one_attacker_is_judged_by_that_one_and_an_estimate_is_called_one() {
    let mut dossier = example().public;
    let risk = dossier.risk.as_mut().unwrap();
    risk.adversaries = vec![
        AdversaryVerdict { adversary: Adversary::Prosecutor, standing: Standing::Fails },
        AdversaryVerdict { adversary: Adversary::Journalist, standing: Standing::Proved },
    ];
    assert!(public(&dossier).contains("The re-identification risk by the chosen attacker is an estimate."));
    dossier.risk.as_mut().unwrap().chosen.as_mut().unwrap().estimated = false;
    let page = public(&dossier);
    assert!(page.contains("The re-identification risk by the chosen attacker is within the threshold."));
    assert!(page.contains("It asks for 12 matching people of the population per class."));
    dossier.risk.as_mut().unwrap().chosen = None;
    assert!(public(&dossier).contains("The re-identification risk is above the threshold."));
}
