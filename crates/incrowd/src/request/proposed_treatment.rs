//! Which treatment a draft proposes for a column, as a comment: a column is removed or published unchanged until somebody
//! decides otherwise.

use incrowd_core::{Built, ColumnProfile, Hierarchy, Kind, Role};

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
        Role::Sensitive if profile.dictionary.kind() == Kind::Number && profile.distinct() > FEW => {
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
