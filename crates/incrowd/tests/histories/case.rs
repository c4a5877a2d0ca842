//! Generated tables: visits of people over time, or members of households.

use std::fmt::Write;

use incrowd::core::{KnownRows, Policy, Treatment};
use incrowd::{AnonymizeOptions, Declared};

/// A table with what is asked of its release.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) k: u64,
    pub(crate) known: KnownRows,
    suppression: f64,
}

/// Numbers that are the same on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

const TOWNS: [&str; 4] = ["4351", "4352", "4361", "5000"];

impl Case {
    /// The case with this number.
    pub(crate) fn draw(number: u64) -> Case {
        let mut numbers = Numbers(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 21);
        let (people, most_rows) = (4 + numbers.below(24), 1 + numbers.below(6));
        let (ages, is_household) = (1 + numbers.below(12), numbers.below(2) == 0);
        let mut text = String::from("subject,age,town,note\n");
        for person in 0..people {
            let (age, town) = (20 + numbers.below(ages), numbers.below(4));
            for _ in 0..1 + numbers.below(most_rows) {
                // A household has members of several ages in one town; a person grows older and moves now and then.
                let age = if is_household { 20 + numbers.below(ages) } else { age + numbers.below(2) };
                let town = if !is_household && numbers.below(3) == 0 { numbers.below(4) } else { town };
                writeln!(text, "unit-{person:03},{age},{},{}", TOWNS[town as usize], numbers.below(3)).unwrap();
            }
        }
        let known = [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All][numbers.below(3) as usize];
        let suppression = [0.0, 0.3, 0.6][numbers.below(3) as usize];
        Case { text, k: 2 + numbers.below(3), known, suppression }
    }

    /// What is asked of the release.
    pub(crate) fn options(&self) -> AnonymizeOptions {
        AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: vec!["age".into(), "town".into()],
                sensitive: vec!["note".into()],
                subject: Some("subject".into()),
                ..Declared::default()
            },
            treatments: [("subject".to_string(), Treatment::Pseudonym)].into(),
            policy: Policy::k_anonymity(self.k).suppressing(self.suppression).knowing(self.known),
            bound: false,
            report: false,
            seed: Some(1),
            ..AnonymizeOptions::default()
        }
    }
}
