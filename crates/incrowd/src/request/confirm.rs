//! A draft becomes a plan when its entries are confirmed.
//!
//! Confirming changes the keys `confirmed` in the text of the plan and nothing else, so comments and formatting stay.

use std::ops::Range;

use incrowd_core::Role;
use serde::Deserialize;
use toml::Spanned;

use super::{ColumnPlan, Plan};
use crate::error::{Error, Result};

/// One entry of a plan that is confirmed.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The columns of the entry; none for the policy.
    pub columns: Vec<String>,
    /// What is decided: the role of the columns, or `k = 5`.
    pub decided: String,
    /// The comment on its line; empty when there is none.
    pub reason: String,
}

/// A plan with confirmed entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed {
    /// The text of the plan. Comments and everything else are as they were.
    pub text: String,
    /// What was confirmed, in the order of the text.
    pub decisions: Vec<Decision>,
    /// How many entries are still not confirmed.
    pub open: usize,
}

/// What is looked at in the text of a plan, with its places.
#[derive(Deserialize)]
struct PlanPlaces {
    policy: PolicyPlaces,
    #[serde(rename = "column", default)]
    columns: Vec<ColumnPlaces>,
    #[serde(rename = "table", default)]
    tables: Vec<TablePlaces>,
}

#[derive(Deserialize)]
struct TablePlaces {
    #[serde(rename = "column", default)]
    columns: Vec<ColumnPlaces>,
}

#[derive(Deserialize)]
struct PolicyPlaces {
    k: Spanned<u64>,
    confirmed: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
struct ColumnPlaces {
    name: Option<String>,
    #[serde(default)]
    names: Vec<String>,
    role: Spanned<Role>,
    confirmed: Option<Spanned<bool>>,
}

/// Confirms the entries of a plan, given as the text of its file: all of them, or those of the columns named.
///
/// ```
/// use incrowd::request::confirm;
/// let text = "version = 1\n[source]\npath = \"a.csv\"\n[policy]\nk = 5\n\
///             [[column]]\nname = \"age\"\nrole = \"quasi-identifier\"  # an age\nconfirmed = false\n";
/// let confirmed = confirm(text, &[]).unwrap();
/// assert!(confirmed.text.ends_with("# an age\nconfirmed = true\n"));
/// assert_eq!(confirmed.decisions[0].reason, "an age");
/// ```
pub fn confirm(text: &str, only: &[String]) -> std::result::Result<Confirmed, String> {
    let plan = Plan::parse(text)?;
    if let Some(name) = only.iter().find(|name| plan.all_columns().all(|column| column.name != **name)) {
        return Err(format!("the plan has no entry for column “{name}”"));
    }
    let places: PlanPlaces = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut found: Vec<(Range<usize>, Decision)> = Vec::new();
    let policy = places.policy;
    if let Some(open) = policy.confirmed.filter(|confirmed| !confirmed.as_ref()) {
        let decided = format!("k = {}", policy.k.as_ref());
        let reason = comment_after(text, policy.k.span().end);
        found.push((open.span(), Decision { columns: vec![], decided, reason }));
    }
    for column in places.columns.into_iter().chain(places.tables.into_iter().flat_map(|table| table.columns)) {
        let Some(open) = column.confirmed.filter(|confirmed| !confirmed.as_ref()) else { continue };
        let reason = comment_after(text, column.role.span().end);
        let columns: Vec<String> = column.name.into_iter().chain(column.names).collect();
        found.push((open.span(), Decision { columns, decided: column.role.as_ref().name().into(), reason }));
    }
    let all = found.len();
    found.retain(|(_, decision)| only.is_empty() || decision.columns.iter().any(|name| only.contains(name)));
    found.sort_by_key(|(place, _)| place.start);
    let mut confirmed = text.to_owned();
    for (place, _) in found.iter().rev() {
        confirmed.replace_range(place.clone(), "true");
    }
    let open = all - found.len();
    Ok(Confirmed { text: confirmed, decisions: found.into_iter().map(|(_, decision)| decision).collect(), open })
}

/// The comment on the rest of the line.
fn comment_after(text: &str, at: usize) -> String {
    let rest = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    rest.split_once('#').map(|(_, comment)| comment.trim().to_owned()).unwrap_or_default()
}

impl Plan {
    /// Refuses a draft: a plan with entries that are not confirmed. What is decided elsewhere, as on a command line, is
    /// not asked for: whether k is, and which columns are.
    pub fn refuse_unconfirmed(&self, k_decided: bool, decided: impl Fn(&str) -> bool) -> Result<()> {
        let open = self.all_columns().filter(|column| !column.confirmed && !decided(&column.name));
        let columns: Vec<String> = open.map(|column| column.name.clone()).collect();
        let policy = !self.policy.confirmed && !k_decided;
        if columns.is_empty() && !policy { Ok(()) } else { Err(Error::Unconfirmed { policy, columns }) }
    }

    /// The entries of columns, also of those in several tables.
    fn all_columns(&self) -> impl Iterator<Item = &ColumnPlan> {
        self.columns.iter().chain(self.tables.iter().flat_map(|table| &table.columns))
    }

    /// Whether entries are not yet confirmed.
    pub fn is_draft(&self) -> bool {
        self.refuse_unconfirmed(false, |_| false).is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAFT: &str = "# mine\nversion = 1\n[source]\npath = \"a.csv\"\n[policy]\nk = 5  # CONFIRM: enough?\n\
                         confirmed = false\n[[column]]\nname = \"a#b\"\nrole = \"sensitive\"  # CONFIRM: a guess\n\
                         confirmed = false  # yet\n[[column]]\nnames = [\"x1\", \"x2\"]\nrole = \"identifier\"\n\
                         confirmed = false\n[[column]]\nname = \"mine\"\nrole = \"insensitive\"\n";

    #[test]
    fn confirming_changes_the_keys_and_nothing_else() {
        let confirmed = confirm(DRAFT, &[]).expect("a plan");
        assert_eq!(confirmed.text, DRAFT.replace("confirmed = false", "confirmed = true"));
        let told: Vec<(usize, &str, &str)> =
            confirmed.decisions.iter().map(|one| (one.columns.len(), &*one.decided, &*one.reason)).collect();
        let expected = [(0, "k = 5", "CONFIRM: enough?"), (1, "sensitive", "CONFIRM: a guess"), (2, "identifier", "")];
        assert_eq!(told, expected);
        assert_eq!(confirm(&confirmed.text, &[]).expect("a plan").decisions, []);
    }

    #[test]
    fn some_columns_can_be_confirmed_alone() {
        let confirmed = confirm(DRAFT, &["x2".into()]).expect("a plan");
        assert_eq!((confirmed.decisions.len(), confirmed.open), (1, 2));
        assert!(Plan::parse(&confirmed.text).expect("a plan").is_draft());
        assert!(confirm(DRAFT, &["y".into()]).expect_err("refused").contains("no entry for column “y”"));
    }

    #[test]
    fn a_draft_is_refused_and_a_plan_without_the_key_is_not() {
        let plan = Plan::parse(DRAFT).expect("a plan");
        let refused = plan.anonymize_options(std::path::Path::new("")).expect_err("refused");
        assert_eq!(refused.code(), "IC530");
        assert_eq!(
            refused.to_string(),
            "the plan is a draft: k and the roles of 3 columns are not confirmed: a#b, x1, x2"
        );
        assert!(plan.refuse_unconfirmed(true, |name| name != "mine").is_ok(), "decided elsewhere");
        let written = Plan::parse(&DRAFT.replace("confirmed = false", "")).expect("a plan");
        assert!(written.anonymize_options(std::path::Path::new("")).is_ok());
    }
}
