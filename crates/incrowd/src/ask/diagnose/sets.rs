//! The questions about sets of the quasi-identifiers.

use incrowd_core::{ClassSizes, ColumnProfile, ColumnSet, FrequencyTable, NotSearched, Role, SearchLimit, Watch};
use incrowd_risk::diagnosis::{
    BorderSearch, attribute_risks_watched, borders_watched, look_at_all_watched, suppression_curve, usual_effort,
};
use incrowd_risk::population::{LogLinearRisk, NoLogLinear};

use super::{DiagnoseOptions, Diagnosed, SetAnswer, SmallClass, kept, share, special};
use crate::error::{Error, Result};
use crate::spellings::{self, Variants};

/// What is asked about sets, and of what.
pub(super) struct SetQuestions<'a> {
    pub(super) table: &'a FrequencyTable,
    /// The quasi-identifiers that are not in the table.
    pub(super) others: &'a [ColumnProfile],
    pub(super) options: &'a DiagnoseOptions,
    /// The share of the population that is in the table, if it is known.
    pub(super) sampling_fraction: Option<f64>,
    /// Whether everybody is known to be in one class.
    pub(super) one_class_each: bool,
    /// How many combinations of values a log-linear model may have.
    pub(super) most_cells: usize,
    pub(super) watch: &'a Watch,
}

/// Questions 3, 4, 7, 8, 10 and 12: sets of the quasi-identifiers.
pub(super) fn answer_about_sets(answer: &mut Diagnosed, asked: &SetQuestions<'_>) -> Result<()> {
    let SetQuestions { table, options, watch, .. } = *asked;
    let columns = table.columns(Role::QuasiIdentifier);
    let k = options.k.unwrap_or(2);
    if !options.declared.sensitive.is_empty() {
        answer.sensitive = Some(kept(table, columns, &options.akin, watch)?);
        let sensitive = &options.declared.sensitive;
        let spelled = spellings::of_attributes(table.attributes());
        let spelled = spelled.iter().filter(|found| sensitive.contains(&found.column));
        answer.findings.extend(spelled.map(Variants::finding));
    }
    if options.sets {
        search_sets(answer, asked, columns, k)?;
    }
    if options.all_sets {
        let budget = options.delta.map(|delta| ClassSizes::budget(delta, table.people()));
        let people = table.people();
        let look = |sizes: &ClassSizes| SetAnswer {
            columns: Vec::new(),
            k: budget.map_or(sizes.k(), |budget| sizes.at_budget(budget).k),
            classes: sizes.classes(),
            unique_rows: sizes.unique(),
            least_delta: options.k.map(|k| share(sizes.below(k), people)),
            curve: options.curve.map(|points| suppression_curve(sizes, people, points)),
        };
        let found = look_at_all_watched(table, columns, look, watch);
        let found = found.map_err(|error| Error::TooManySets { columns: error.columns })??;
        let named = |(set, answer)| SetAnswer { columns: table.names(set), ..answer };
        answer.sets = Some(found.into_iter().map(named).collect());
    }
    if options.attributes {
        answer.attributes = Some(attribute_risks_watched(table, columns, k, u64::MAX, watch)?);
    }
    if let Some(depth) = options.special_uniques {
        let (found, rows) = special::found(table, columns, depth, asked.sampling_fraction, options.values, watch)?;
        answer.special_uniques = Some(found);
        answer.special_rows = (options.values > 0).then_some(rows);
    }
    if let Some(fraction) = asked.sampling_fraction.filter(|_| options.log_linear) {
        answer.log_linear = Some(match asked.one_class_each {
            true => LogLinearRisk::of(table, columns, fraction, asked.most_cells, watch)?,
            false => LogLinearRisk::none(fraction, answer.unique_rows, NoLogLinear::SeveralClasses),
        });
    }
    if options.values > 0 {
        answer.classes_to_suppress = Some(small_classes(table, columns, k, options.values));
    }
    Ok(())
}

/// A search that was requested may take this many times the effort of `check`.
const EFFORT: u64 = 10;

/// The borders between the sets that reach k and those that do not.
fn search_sets(answer: &mut Diagnosed, asked: &SetQuestions<'_>, columns: ColumnSet, k: u64) -> Result<()> {
    let SetQuestions { table, others, options, watch, .. } = *asked;
    let delta = options.delta.unwrap_or(0.0);
    // "At most k" is the complement of "at least k + 1".
    let k = k.saturating_add(u64::from(options.at_most));
    let effort = usual_effort(table.tuples(), columns.len()).saturating_mul(EFFORT);
    let most = options.max_set_size.unwrap_or(usize::MAX);
    let search = BorderSearch::new(k).suppressing(delta).up_to(most).within(effort).among(columns);
    let found = borders_watched(table, &search, watch)?;
    let names = |sets: &[ColumnSet]| sets.iter().map(|&set| table.names(set)).collect::<Vec<_>>();
    let (mut safe, mut dangerous) = (names(&found.largest_safe), names(&found.smallest_dangerous));
    let mut left: Vec<NotSearched> = Vec::new();
    left.extend(found.cut.map(|cut| NotSearched {
        limit: if cut.by_effort { SearchLimit::Effort } else { SearchLimit::Size },
        set_size: cut.size,
        sets: cut.by_effort.then_some(cut.sets),
        at_least: !cut.exact,
        columns: vec![],
    }));
    let budget = ClassSizes::budget(delta, table.people());
    let (mut open, mut unmeasured) = (Vec::new(), 0);
    for profile in others {
        let sizes = ClassSizes::from_sizes(profile.counts.iter().copied().filter(|&rows| rows > 0));
        let name = profile.name.clone();
        if table.counts_people() || !profile.exact {
            unmeasured += 1;
            open.push(name);
        } else if sizes.at_budget(budget).k >= k {
            safe.push(vec![name.clone()]);
            open.push(name);
        } else {
            dangerous.insert(0, vec![name]);
        }
    }
    let combined = found.measured.iter().filter(|set| set.columns.len() == 1 && set.k >= k).count() as u64;
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let (set_size, sets) = match unmeasured {
        0 => (2, pairs(combined + open.len() as u64) - pairs(combined)),
        _ => (1, unmeasured as u64),
    };
    if sets > 0 {
        let limit = SearchLimit::Columns;
        left.insert(0, NotSearched { limit, set_size, sets: Some(sets), at_least: false, columns: open });
    }
    answer.largest_safe = Some(safe);
    answer.smallest_dangerous = Some(dangerous);
    answer.groupings = Some(found.groupings + others.len() - unmeasured);
    answer.not_searched = Some(left);
    Ok(())
}

/// The classes smaller than k, smallest first.
fn small_classes(table: &FrequencyTable, columns: ColumnSet, k: u64, most: usize) -> Vec<SmallClass> {
    let grouping = table.roll_up(columns);
    let mut classes: Vec<_> = grouping.classes().filter(|class| class.size < k).collect();
    classes.sort_by_key(|class| class.size);
    let label = |class: &incrowd_core::Class<'_>, column: usize| {
        table.attributes()[column].dictionary.label(class.code(&grouping, column)).into_owned()
    };
    let named = |class: incrowd_core::Class<'_>| SmallClass {
        values: columns.iter().map(|column| label(&class, column)).collect(),
        size: class.size,
    };
    classes.into_iter().take(most).map(named).collect()
}
