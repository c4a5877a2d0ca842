//! docs/claims.md as data.

/// The claims of the register.
pub(crate) struct Register {
    pub(crate) claims: Vec<Claim>,
}

/// One claim.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    pub(crate) id: String,
    /// The sentences that make it; `…` stands for anything.
    pub(crate) patterns: Vec<String>,
    /// The names of its parts that are filled.
    parts: Vec<String>,
    /// The tests that try to refute it.
    pub(crate) tests: Vec<String>,
}

/// What every claim has beside its sentences.
const PARTS: [&str; 5] = ["Means", "For", "Assumes", "Does not say", "Refuted by"];

impl Register {
    /// Reads `### ID: title`, `Sentences:` with a list of patterns, and the parts.
    pub(crate) fn read(text: &str) -> Register {
        let mut claims: Vec<Claim> = Vec::new();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("### ") {
                let id = heading.split(':').next().unwrap_or_default().trim().to_owned();
                claims.push(Claim { id, ..Claim::default() });
            }
            let Some(claim) = claims.last_mut() else { continue };
            if let Some(pattern) = line.strip_prefix("- `").and_then(|rest| rest.strip_suffix('`')) {
                claim.patterns.push(pattern.to_owned());
            }
            if let Some(part) = PARTS.iter().find(|part| line.starts_with(&format!("**{part}:**"))) {
                claim.parts.push((*part).to_owned());
            }
            if claim.parts.last().is_some_and(|part| part == "Refuted by") {
                claim.tests.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
            }
        }
        Register { claims }
    }

    /// Whether a claim of the register makes this sentence.
    pub(crate) fn knows(&self, sentence: &str) -> bool {
        self.claims.iter().flat_map(|claim| &claim.patterns).any(|pattern| matches(pattern, sentence))
    }
}

impl Claim {
    /// What is missing.
    pub(crate) fn faults(&self) -> Vec<String> {
        let missing = PARTS.iter().filter(|part| !self.parts.iter().any(|own| own == *part));
        let mut faults: Vec<String> = missing.map(|part| format!("{}: no part “{part}”", self.id)).collect();
        if self.patterns.is_empty() || self.tests.is_empty() {
            faults.push(format!("{}: no sentence, or no test", self.id));
        }
        faults
    }
}

/// Whether a sentence is a pattern with something in the place of each `…`. Backticks and stars of either do not count.
pub(crate) fn matches(pattern: &str, sentence: &str) -> bool {
    let plain = |text: &str| text.replace(['`', '*'], "");
    let (pattern, sentence) = (plain(pattern), plain(sentence));
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = sentence.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
