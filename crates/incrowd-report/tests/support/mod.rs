//! A page taken apart: enough of HTML to see whether tags are closed, ids are single and nothing is loaded.

#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeSet;

use incrowd_report::dossier::{EXAMPLE, InternalDossier};

/// The made-up dossier in which everything is filled.
pub(crate) fn example() -> InternalDossier {
    serde_json::from_str(EXAMPLE).unwrap()
}

/// What stands in a page.
#[derive(Default)]
pub(crate) struct Page {
    /// Every opening tag, with its attributes.
    pub(crate) tags: Vec<(String, Vec<(String, String)>)>,
    /// Ids.
    pub(crate) ids: BTreeSet<String>,
    /// The text, without that of the style sheet.
    pub(crate) text: String,
}

impl Page {
    /// How many elements of a name there are.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.tags.iter().filter(|tag| tag.0 == name).count()
    }

    /// The values of an attribute, wherever it stands.
    pub(crate) fn attributes(&self, name: &str) -> Vec<&str> {
        let all = self.tags.iter().flat_map(|tag| &tag.1);
        all.filter(|(attribute, _)| attribute == name).map(|(_, value)| value.as_str()).collect()
    }
}

const EMPTY: [&str; 1] = ["meta"];

/// Takes a page apart.
///
/// # Panics
/// When a tag is not closed, closed twice or in the wrong order, an attribute is not quoted, or an id is there twice.
pub(crate) fn parse(html: &str) -> Page {
    let mut page = Page::default();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a page begins with its kind");
    while !rest.is_empty() {
        if open.last().is_some_and(|name| name == "style") {
            rest = &rest[rest.find("</style>").expect("the sheet ends")..];
        }
        let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        assert!(!text.contains('>'), "a stray > in {text:?}");
        page.text.push_str(text);
        page.text.push(' ');
        let Some(after) = after.strip_prefix('<') else { break };
        let (tag, after) = after.split_at(end_of_tag(after));
        rest = &after[1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closed in the wrong order");
            continue;
        }
        let (name, attributes) = attributes_of(tag);
        for (_, id) in attributes.iter().filter(|(attribute, _)| attribute == "id") {
            assert!(page.ids.insert(id.clone()), "the id {id} is there twice");
        }
        if !EMPTY.contains(&name.as_str()) {
            open.push(name.clone());
        }
        page.tags.push((name, attributes));
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    page
}

fn end_of_tag(text: &str) -> usize {
    let mut quoted = false;
    let end = text.char_indices().find(|&(_, letter)| {
        quoted ^= letter == '"';
        letter == '>' && !quoted
    });
    end.expect("a tag ends").0
}

fn attributes_of(tag: &str) -> (String, Vec<(String, String)>) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "no tag: {name:?}");
    let mut attributes = Vec::new();
    while !rest.trim().is_empty() {
        let (attribute, after) = rest.split_once("=\"").expect("attributes are quoted");
        let (value, after) = after.split_once('"').expect("quotes are closed");
        attributes.push((attribute.trim().to_owned(), value.to_owned()));
        rest = after;
    }
    (name.to_owned(), attributes)
}
