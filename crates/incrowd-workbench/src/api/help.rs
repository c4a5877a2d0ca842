//! Help inside the page: the sentence of every term, and the explanation of every code.

use axum::Json;
use axum::extract::Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::errors::{ApiError, ApiResult};

/// The glossary of the documentation. The build of the page copies it, and the gate compares.
const GLOSSARY: &str = include_str!("../../assets/glossary.md");

#[derive(Serialize, JsonSchema)]
pub(super) struct Glossary {
    terms: Vec<TermView>,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct TermView {
    term: String,
    sentence: String,
    /// The page of the documentation, without its folder and ending.
    page: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CodeView {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    title: &'static str,
    /// Paragraphs, with an empty line between them.
    text: &'static str,
}

pub(super) async fn glossary() -> Json<Glossary> {
    Json(Glossary { terms: terms(GLOSSARY) })
}

/// The rows of the table `| term | meaning | in incrowd |`.
fn terms(text: &str) -> Vec<TermView> {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2).map(cells);
    let view = |row: Vec<String>| {
        let (term, meaning) = (row.first()?.clone(), row.get(1)?);
        let (sentence, page) = without_links(meaning);
        Some(TermView { term: term.replace('*', ""), sentence, page })
    };
    rows.filter_map(view).collect()
}

/// A text without its links, and the first page that it links to.
fn without_links(text: &str) -> (String, Option<String>) {
    let (mut plain, mut page) = (String::new(), None);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((words, target)) = after.split_once("](") else { break };
        let Some((target, behind)) = target.split_once(')') else { break };
        plain += before;
        plain += words;
        page = page.or_else(|| Some(target.trim_end_matches(".md").to_owned()));
        rest = behind;
    }
    plain += rest;
    (plain.replace(['*', '`'], ""), page)
}

pub(super) async fn explain(Path(code): Path<String>) -> ApiResult<Json<CodeView>> {
    let code = incrowd::explain(&code).ok_or_else(|| ApiError::not_found("there is no such code"))?;
    Ok(Json(CodeView {
        code: code.code,
        name: code.name,
        severity: code.severity.name(),
        title: code.summary,
        text: code.explanation,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_has_a_sentence_without_markup() {
        let terms = terms(GLOSSARY);
        assert!(terms.len() > 20 && terms.iter().all(|term| !term.sentence.is_empty()));
        assert!(terms.iter().all(|term| !term.sentence.contains(['[', '`', '*'])), "{terms:?}");
        let k = terms.iter().find(|term| term.term == "k-anonymity").expect("a term");
        assert_eq!(k.page.as_deref(), Some("concepts/models/k-anonymity"));
    }
}
