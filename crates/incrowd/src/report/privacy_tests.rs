//! The three questions of opinion 05/2014 about a release: singling out, linkability, inference.
//!
//! The first two are about every column that an attacker could know, as it is published: quasi-identifiers, insensitive
//! columns, and what was published although it singles out people. Sensitive columns are assumed to be unknown, and the
//! evidence says so.

use incrowd_core::ClassSizes;
use incrowd_report::dossier::{Share, Standing, Test, TestVerdict};
use incrowd_verify::{Manifest, Role};

use super::LEAST_TOLD;
use crate::exposure::{Basis, Knowledge};

/// The verdicts, given how many rows agree on all known columns and whether the verifier accepted the release.
pub(super) fn tests(
    manifest: &Manifest,
    sizes: &ClassSizes,
    knowledge: &Knowledge,
    verified: Standing,
) -> Vec<TestVerdict> {
    let asked = PrivacyTests { manifest, sizes, knowledge, verified };
    let verdict = |test: Test, (standing, evidence): (Standing, String)| TestVerdict { test, standing, evidence };
    vec![
        verdict(Test::SinglingOut, asked.singling_out()),
        verdict(Test::Linkability, asked.linkability()),
        verdict(Test::Inference, asked.inference()),
    ]
}

struct PrivacyTests<'a> {
    manifest: &'a Manifest,
    sizes: &'a ClassSizes,
    knowledge: &'a Knowledge,
    verified: Standing,
}

impl PrivacyTests<'_> {
    fn singling_out(&self) -> (Standing, String) {
        let known = self.known();
        let unique = self.sizes.unique();
        if self.manifest.two_tables.is_some() {
            let evidence = format!("The columns that an attacker could know ({known}) are published unchanged.");
            return (Standing::Fails, evidence);
        }
        if unique > 0 {
            let share = Share::of(unique, self.sizes.total(), LEAST_TOLD);
            let rows = match share.range() {
                Some(_) => format!("{share} of the rows are"),
                None => "Rows are".into(),
            };
            let rows = rows[..1].to_uppercase() + &rows[1..];
            return (Standing::Fails, format!("{rows} unique on the columns that an attacker could know ({known})."));
        }
        let holds = format!("No row is unique on the columns that an attacker could know ({known}).");
        self.judged(holds)
    }

    fn linkability(&self) -> (Standing, String) {
        let (known, k) = (self.known(), self.k());
        if self.manifest.two_tables.is_some() {
            let evidence = "Rows can be linked to other tables by their quasi-identifiers; only the sensitive columns \
                            are published separately.";
            return (Standing::Fails, evidence.into());
        }
        if self.sizes.k() < k {
            let evidence = format!(
                "On the columns that an attacker could know ({known}), some rows can be linked to another table together \
                 with fewer than {} others.",
                k - 1
            );
            return (Standing::Fails, evidence);
        }
        let others = incrowd_core::counted(k - 1, "other", "others");
        self.judged(format!(
            "On the columns that an attacker could know ({known}), a row can be linked to another table only together with at \
             least {others}."
        ))
    }

    fn inference(&self) -> (Standing, String) {
        let published = self.manifest.published(Role::Sensitive);
        let has_rule = |name: &String| self.manifest.policy.models.iter().any(|rule| rule.sensitive.contains(name));
        let bare: Vec<String> = published.iter().filter(|name| !has_rule(name)).cloned().collect();
        if published.is_empty() {
            return (Standing::NotJudged, "No column is declared sensitive, so inference was not assessed.".into());
        }
        if bare.is_empty() {
            let evidence = format!(
                "Rules of the policy limit what the class of a person reveals about every sensitive column ({}).",
                published.join(", ")
            );
            return (self.verified, evidence);
        }
        let evidence = format!(
            "No rule of the policy is about {}: what the class of a person reveals about it was not assessed.",
            bare.join(", ")
        );
        (Standing::NotJudged, evidence)
    }

    /// What holds on the counted classes, as far as these count what the promise is about.
    fn judged(&self, holds: String) -> (Standing, String) {
        let assumed = match self.knowledge.unknown.is_empty() {
            true => String::new(),
            false => {
                format!(
                    " Sensitive columns are assumed to be unknown to the attacker: {}.",
                    self.knowledge.unknown.join(", ")
                )
            }
        };
        match self.knowledge.basis {
            Basis::Exact => (self.verified, holds + &assumed),
            Basis::RowsNotPeople => {
                let words =
                    " Rows were counted, and one person may have several of them, so this is not proved of people.";
                (Standing::NotJudged, holds + words + &assumed)
            }
            Basis::NotCounted => {
                let known = self.known();
                let words =
                    format!("The classes on the columns that an attacker could know ({known}) were not counted.");
                (Standing::NotJudged, words)
            }
        }
    }

    /// The columns that an attacker could know.
    fn known(&self) -> String {
        let quasi = self.manifest.published(Role::QuasiIdentifier);
        quasi.iter().chain(&self.knowledge.known).map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// The k that is promised, at least 2: a class of one protects no one.
    fn k(&self) -> u64 {
        let k = |rule: &incrowd_verify::Rule| rule.parameters.get("k").and_then(serde_json::Value::as_u64);
        self.manifest.policy.models.iter().filter_map(k).max().unwrap_or(2).max(2)
    }
}
