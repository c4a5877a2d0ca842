//! Sensitive columns that no rule is about: they are not in the table of tuples, so they are read from the staged
//! files, as everyone will read them. Treated columns are not measured: their cells are not the values.

use incrowd_core::{Kind, Outcome, Role};
use incrowd_engine::EngineError;
use incrowd_risk::attack::{Likeness, USUAL_THRESHOLD, alone};

use super::Made;
use crate::ask::query::ReleaseView;
use crate::error::{Error, Result};

/// The bytes that measuring takes at most for each row, if no two rows agree: codes, order, values of the classes.
const ROW_BYTES: u64 = 64;

/// What attacks achieve on sensitive columns without a rule, and what could not be measured about them.
pub(super) fn attacks(made: &Made<'_>) -> Result<(Vec<Outcome>, Vec<String>)> {
    let protected = made.run.options.policy.sensitive();
    let unprotected: Vec<String> =
        made.run.columns.untreated(Role::Sensitive).into_iter().filter(|name| !protected.contains(name)).collect();
    if unprotected.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    // The tuples stay in memory meanwhile.
    let needed = made.classes.table.rows().saturating_mul(ROW_BYTES).saturating_add(made.classes.table.bytes());
    if made.run.engine.memory().is_some_and(|memory| needed > memory) {
        return Ok((Vec::new(), vec![not_measured(&unprotected)]));
    }
    match measured(made, &unprotected) {
        Ok(found) => Ok((found, Vec::new())),
        Err(Error::Engine(EngineError::Cancelled)) => Err(EngineError::Cancelled.into()),
        // A report must not keep a verified release from being written.
        Err(_) => Ok((Vec::new(), vec![not_measured(&unprotected)])),
    }
}

fn measured(made: &Made<'_>, unprotected: &[String]) -> Result<Vec<Outcome>> {
    let quasi = &made.run.options.declared.quasi_identifiers;
    let names: Vec<&str> = quasi.iter().chain(unprotected).map(String::as_str).collect();
    let view = ReleaseView::of_staged(made.run.engine, made.staged, made.manifest, &names)?;
    let (quasi, unprotected) = names.split_at(quasi.len());
    let likeness = |name: &&str| {
        let cells = view.cells(name)?;
        let ordered = matches!(cells.kind(), Kind::Integer | Kind::Number | Kind::Date);
        ordered.then(|| Likeness::Order((0..).take(cells.len()).collect()))
    };
    let likeness: Vec<Option<Likeness>> = unprotected.iter().map(likeness).collect();
    let found = alone(&view.crowds(quasi), &view.published(quasi, unprotected), USUAL_THRESHOLD, &likeness);
    // The class sizes are known without these columns.
    Ok(found.into_iter().filter(|outcome| !outcome.column.is_empty()).collect())
}

fn not_measured(unprotected: &[String]) -> String {
    let whose = if unprotected.len() == 1 { "its" } else { "their" };
    format!(
        "No rule is about {}, and what {whose} values reveal was not measured here: `incrowd attack` measures it.",
        unprotected.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_agrees_with_the_number_of_columns() {
        let columns = ["diagnosis", "salary"].map(String::from);
        assert!(not_measured(&columns[..1]).starts_with("No rule is about diagnosis, and what its values reveal"));
        assert!(not_measured(&columns).starts_with("No rule is about diagnosis, salary, and what their values reveal"));
    }
}
