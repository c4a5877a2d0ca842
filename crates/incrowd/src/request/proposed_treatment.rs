//! Which treatment a draft proposes for a column, as a comment: a column is removed or published unchanged until somebody
//! decides otherwise.

use std::collections::{BTreeSet, HashMap};

use incrowd_core::{Built, ColumnProfile, Hierarchy, ItemTreatment, Kind, Role, Treatment};

use crate::roles::ColumnReport;

/// Numbers with fewer distinct values than this are not rounded.
const FEW: u64 = 20;

/// The rows of a group of microaggregation that are proposed; at least 3 are usual, and 5 where numbers are sensitive.
const GROUP: u64 = 5;

/// A line of comment with a treatment and its reason; nothing where none suits the column. `has_subject` says whether a
/// column says which rows belong to one person.
pub(super) fn line(column: &ColumnReport, profile: &ColumnProfile, has_subject: bool) -> Option<String> {
    let repeats = profile.exact && profile.distinct() + profile.missing < profile.rows;
    match column.role {
        Role::Subject => Some(comment("pseudonym", "to publish which rows belong to one person; otherwise removed")),
        Role::Identifier if repeats && profile.distinct() > 1 => {
            Some(comment("pseudonym", "to publish which rows have the same value; otherwise removed"))
        }
        Role::Sensitive | Role::Insensitive if profile.distinct() > FEW && profile.dictionary.kind() == Kind::Date => {
            let why =
                "dates of a person move together; order and intervals stay; a birth or death is a quasi-identifier";
            has_subject.then(|| comment("shift:60", why))
        }
        Role::Sensitive | Role::Insensitive
            if profile.dictionary.kind() == Kind::Text && separator(profile).is_some() =>
        {
            let why = "few people have the same set of items; not together with a rule about the column";
            separator(profile).map(|separator| comment(&format!("items:{GROUP},known:2,split:{separator}"), why))
        }
        Role::Sensitive if profile.distinct() > FEW => {
            let width = match Hierarchy::suggest(&profile.dictionary).ok()?.built {
                Built::Numeric { widths } => widths.first()?.to_string(),
                Built::Flat | Built::Dates | Built::Prefix => return None,
            };
            let round: Treatment = format!("round:{width}").parse().ok()?;
            if profile.exact && profile.rows >= 2 * GROUP && leaves_few_alike(profile, &round) {
                let why = "rounding alone leaves numbers that few rows have; not together with a rule about the column";
                return Some(comment(&format!("microaggregate:{GROUP},{round}"), why));
            }
            let why = "exact numbers can single out people; not together with a rule about the column";
            Some(comment(&round.to_string(), why))
        }
        _ => None,
    }
}

/// The separator of cells that look like sets of items: a quarter of them or more have several items, and there
/// are fewer items than cells.
fn separator(profile: &ColumnProfile) -> Option<char> {
    let cells: Vec<_> =
        (0..).take(profile.dictionary.values().len()).map(|code| profile.dictionary.label(code)).collect();
    [';', '|', ','].into_iter().find(|&separator| {
        let items = ItemTreatment { k: 2, known: 1, separator };
        let several = cells.iter().filter(|cell| items.items(cell).len() > 1).count();
        let all: BTreeSet<&str> = cells.iter().flat_map(|cell| items.items(cell)).collect();
        several > 0 && 4 * several >= cells.len() && all.len() < cells.len()
    })
}

/// Whether a rounded number occurs in fewer rows than a group of microaggregation has.
fn leaves_few_alike(profile: &ColumnProfile, round: &Treatment) -> bool {
    let mut rows: HashMap<String, u64> = HashMap::new();
    for (code, count) in (0..).zip(&profile.counts).take(profile.dictionary.values().len()) {
        if let Some(rounded) = round.of_number(&profile.dictionary.label(code)) {
            *rows.entry(rounded).or_default() += count;
        }
    }
    rows.values().any(|&rows| rows < GROUP)
}

fn comment(treatment: &str, why: &str) -> String {
    format!("# treatment = \"{treatment}\"  # {why}\n")
}

#[cfg(test)]
mod tests {
    use incrowd_engine::{Engine, ReadOptions, Source};

    use super::*;
    use crate::roles::{Declared, assign};

    #[test]
    fn subjects_dates_sets_and_sensitive_numbers_get_a_proposal_and_others_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        let row = |at: u32| {
            let (person, age, salary) = (1000 + at / 3, 20 + at % 50, 30_000 + 250 * (at % 60));
            // One in a hundred is far above the others.
            let pay = if at % 100 == 7 { salary * (at / 50 + 3) } else { salary };
            let sets = ["flu", "flu;gout", "asthma;flu", "asthma", "asthma;gout;flu"];
            let (illnesses, month, day) = (sets[at as usize % 5], at % 12 + 1, at % 28 + 1);
            format!("{person},{age},{salary},{},2024-{month:02}-{day:02},{pay},{illnesses}\n", at % 3)
        };
        let text = format!("person,age,salary,ward,visit,pay,illnesses\n{}", (0..600).map(row).collect::<String>());
        std::fs::write(&path, text).expect("written");
        let engine = Engine::new(&Default::default()).expect("an engine");
        let source = Source::open(&engine, path.to_str().expect("a path"), ReadOptions::default()).expect("a table");
        let profiles = source.profile(&engine).expect("profiles");
        let declared = Declared {
            subject: Some("person".into()),
            quasi_identifiers: vec!["age".into()],
            sensitive: ["salary", "ward", "visit", "pay", "illnesses"].map(String::from).to_vec(),
            ..Declared::default()
        };
        let columns = assign(&profiles, &declared).expect("roles");
        let lines: Vec<Option<String>> =
            columns.iter().zip(&profiles).map(|(column, profile)| line(column, profile, true)).collect();
        assert!(lines[0].as_deref().is_some_and(|line| line.starts_with("# treatment = \"pseudonym\"")), "{lines:?}");
        assert!(lines[2].as_deref().is_some_and(|line| line.starts_with("# treatment = \"round:")), "{lines:?}");
        assert_eq!((&lines[1], &lines[3]), (&None, &None));
        assert!(lines[4].as_deref().is_some_and(|line| line.starts_with("# treatment = \"shift:60\"")), "{lines:?}");
        assert_eq!(line(&columns[4], &profiles[4], false), None, "without a subject there is nothing to move together");
        assert!(
            lines[5].as_deref().is_some_and(|line| line.starts_with("# treatment = \"microaggregate:5,")),
            "{lines:?}"
        );
        assert!(
            lines[6].as_deref().is_some_and(|line| line.starts_with("# treatment = \"items:5,known:2,split:;\"")),
            "{lines:?}"
        );
    }
}
