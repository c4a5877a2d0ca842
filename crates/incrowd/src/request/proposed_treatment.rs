//! Which treatment a draft proposes for a column, as a comment: a column is removed or published unchanged until somebody
//! decides otherwise.

use incrowd_core::{Built, ColumnProfile, Hierarchy, Role};

use crate::roles::ColumnReport;

/// Numbers with fewer distinct values than this are not rounded.
const FEW: u64 = 20;

/// A line of comment with a treatment and its reason; nothing where none suits the column.
pub(super) fn line(column: &ColumnReport, profile: &ColumnProfile) -> Option<String> {
    let repeats = profile.exact && profile.distinct() + profile.missing < profile.rows;
    match column.role {
        Role::Subject => Some(comment("pseudonym", "to publish which rows belong to one person; otherwise removed")),
        Role::Identifier if repeats && profile.distinct() > 1 => {
            Some(comment("pseudonym", "to publish which rows have the same value; otherwise removed"))
        }
        Role::Sensitive if profile.distinct() > FEW => {
            let width = match Hierarchy::suggest(&profile.dictionary).ok()?.built {
                Built::Numeric { widths } => widths.first()?.to_string(),
                Built::Flat | Built::Dates | Built::Prefix => return None,
            };
            let why = "exact numbers can single out people; not together with a rule about the column";
            Some(comment(&format!("round:{width}"), why))
        }
        _ => None,
    }
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
    fn subjects_and_sensitive_numbers_get_a_proposal_and_others_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        let row = |at: u32| format!("{},{},{},{}\n", 1000 + at / 3, 20 + at % 50, 30_000 + 250 * (at % 60), at % 3);
        let text = format!("person,age,salary,ward\n{}", (0..600).map(row).collect::<String>());
        std::fs::write(&path, text).expect("written");
        let engine = Engine::new(&Default::default()).expect("an engine");
        let source = Source::open(&engine, path.to_str().expect("a path"), ReadOptions::default()).expect("a table");
        let profiles = source.profile(&engine).expect("profiles");
        let declared = Declared {
            subject: Some("person".into()),
            quasi_identifiers: vec!["age".into()],
            sensitive: vec!["salary".into(), "ward".into()],
            ..Declared::default()
        };
        let columns = assign(&profiles, &declared).expect("roles");
        let lines: Vec<Option<String>> =
            columns.iter().zip(&profiles).map(|(column, profile)| line(column, profile)).collect();
        assert!(lines[0].as_deref().is_some_and(|line| line.starts_with("# treatment = \"pseudonym\"")), "{lines:?}");
        assert!(lines[2].as_deref().is_some_and(|line| line.starts_with("# treatment = \"round:")), "{lines:?}");
        assert_eq!((&lines[1], &lines[3]), (&None, &None));
    }
}
