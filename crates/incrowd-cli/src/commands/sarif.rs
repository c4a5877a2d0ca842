//! `incrowd check --format sarif`: the findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS, 2020), which
//! code hosts and editors show beside the file.
//!
//! A result names columns and counts, as a finding does; it never holds a cell's value.

use incrowd::Check;
use incrowd::core::{Code, Finding, Severity};
use serde_json::{Value, json};

/// The log of one run: the codes that were found as rules, the findings as results.
pub(super) fn log(found: &Check) -> Value {
    let findings = &found.diagnosis.findings;
    let mut rules: Vec<&Code> = findings.iter().map(|finding| finding.code).collect();
    rules.sort_by_key(|code| code.code);
    rules.dedup_by_key(|code| code.code);
    let place = |finding: &Finding| rules.iter().position(|code| code.code == finding.code.code);
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, place(finding), &found.source)).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "incrowd",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": results,
            "properties": { "safe": found.safe, "verdict": found.verdict },
        }],
    })
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.code,
        "name": code.name,
        "shortDescription": { "text": code.summary },
        "help": { "text": code.explanation },
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

/// A finding at the first line of its table: a table has no better place for columns.
fn result(finding: &Finding, rule: Option<usize>, source: &str) -> Value {
    let mut result = json!({
        "ruleId": finding.code.code,
        "level": level(finding.code.severity),
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(source) },
            "region": { "startLine": 1 },
        }}],
        // The counts change with every edit of a table; the same finding about the same columns does not.
        "partialFingerprints": { "columns/v1": format!("{}:{}", finding.code.code, finding.columns.join("+")) },
        "properties": { "columns": finding.columns, "rows": finding.rows, "share": finding.share },
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Danger | Severity::Refusal => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a relative reference: everything that a URI reserves is escaped, the separators of folders are not.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_and_umlauts_is_a_valid_reference() {
        assert_eq!(uri("data/Köln 2024.csv"), "data/K%C3%B6ln%202024.csv");
        assert_eq!(uri("a:b?c#d.csv"), "a%3Ab%3Fc%23d.csv");
    }
}
