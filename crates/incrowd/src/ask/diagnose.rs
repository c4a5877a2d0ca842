//! `diagnose`: the twelve questions of "A privacy diagnosis centre: algorithms for k-anonymity diagnosis" about k, the column
//! set S and the share δ that may be withheld. Numbers of questions below are those of the paper and of docs/diagnosis.md.
//!
//! What is given and what is left open decides the question: k given asks whether it holds, left open asks for it; S
//! is the quasi-identifiers, or every set of them (`sets`, `all_sets`); δ given withholds, the curve leaves it open. Where
//! sensitive columns are named, the same is asked about the models that protect them: which parameters does the table keep?

use std::collections::BTreeMap;

use incrowd_core::{
    Akin, AttributeRisk, ClassSizes, ColumnProfile, ColumnSet, CurvePoint, Finding, FrequencyTable, Kept, NotSearched,
    Role, SearchLimit, Severity, Watch,
};
use incrowd_engine::{Answer, Engine, EngineError, Question, Source};
use incrowd_risk::diagnosis::{
    Bound, Search, attribute_risks_watched, borders_watched, look_at_all_watched, suppression_curve, usual_effort,
};
use serde::Serialize;

use crate::ask::combined::Combined;
use crate::error::{Error, Result};
use crate::parameters;
use crate::repeated_identifiers::{CountedPeople, RepeatedIdentifier};
use crate::roles::Declared;
use crate::spellings::{self, Variants};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct DiagnoseOptions {
    /// The columns to look at, the sensitive ones among them, and the subject if people are counted.
    pub declared: Declared,
    /// What is known about the values of sensitive columns, by name.
    pub akin: BTreeMap<String, Akin>,
    /// The k asked for.
    pub k: Option<u64>,
    /// Ask for "at most k" instead of "at least k".
    pub at_most: bool,
    /// The share of rows that may be withheld.
    pub delta: Option<f64>,
    /// Search the largest safe and the smallest dangerous column sets.
    pub sets: bool,
    /// Measure every column set.
    pub all_sets: bool,
    /// The largest sets that are searched.
    pub max_set_size: Option<usize>,
    /// The most steps of the suppression curve, if it is wanted.
    pub curve: Option<usize>,
    /// What each column does to the risk.
    pub attributes: bool,
    /// Name the classes to withhold, at most so many; 0 unless the reader may see the table.
    pub values: usize,
}

/// The answers. Only what was asked is there.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Diagnosed {
    /// What was looked at.
    pub source: String,
    /// The columns that tell classes apart.
    pub quasi_identifiers: Vec<String>,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples on the quasi-identifiers.
    pub tuples: u64,
    /// The column by which people are counted, when it was guessed and not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guessed_subject: Option<String>,
    /// People the table is about, when a subject column tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// People, each counted once in every class they are in, when that makes more than there are people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearances: Option<u64>,
    /// The size of the smallest class (question 2).
    pub k: u64,
    /// Rows (people) that stand alone in their class.
    pub unique_rows: u64,
    /// The mean chance of picking the right person given their class.
    pub mean_risk: f64,
    /// Whether the k asked for holds, within δ if one is given (questions 1 and 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// Rows (people) in classes smaller than the k asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_below_k: Option<u64>,
    /// The smallest share to withhold for the k asked for (question 9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_delta: Option<f64>,
    /// The largest k that withholding δ reaches (question 6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_suppressed: Option<u64>,
    /// How many are withheld to reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed_rows: Option<u64>,
    /// The largest sets that are safe (questions 3 and 7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_safe: Option<Vec<Vec<String>>>,
    /// The smallest sets that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_dangerous: Option<Vec<Vec<String>>>,
    /// How many class computations were made for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groupings: Option<usize>,
    /// The sets that the search for them did not look at, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<Vec<NotSearched>>,
    /// Every set with its k (questions 4, 8, 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<Vec<SetAnswer>>,
    /// Which k is had for which share withheld (question 11).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
    /// What each column does to the risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<Vec<AttributeRisk>>,
    /// For which parameters each model about a sensitive column holds, one answer for each column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Vec<Kept>>,
    /// The classes to withhold, by their values. Only for those who may see the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes_to_suppress: Option<Vec<SmallClass>>,
    /// Identifiers that repeat while rows are counted, and sensitive columns in which one value is spelled in several ways,
    /// each of which counts as a value above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
}

/// One column set of question 4, 8, 10 or 12.
#[derive(Clone, Debug, Serialize)]
pub struct SetAnswer {
    /// The columns.
    pub columns: Vec<String>,
    /// The size of the smallest class, of what is kept when δ is given.
    pub k: u64,
    /// How many classes there are.
    pub classes: u64,
    /// Rows (people) that stand alone.
    pub unique_rows: u64,
    /// The smallest share to withhold for the k asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_delta: Option<f64>,
    /// Which k is had for which share withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
}

/// A class smaller than k, by its values.
#[derive(Clone, Debug, Serialize)]
pub struct SmallClass {
    /// The values of the quasi-identifiers.
    pub values: Vec<String>,
    /// How many rows (people) are in it.
    pub size: u64,
}

impl Diagnosed {
    /// Whether the promise asked for holds; without one, whether nobody stands alone. Rows that may not be people prove
    /// neither.
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.code.severity != Severity::Danger)
            && self.holds.unwrap_or(self.k > 1)
    }
}

/// Answers the questions in one scan; column sets are rolled up from its tuples.
pub fn diagnose(engine: &Engine, source: &Source, options: &DiagnoseOptions) -> Result<Diagnosed> {
    parameters::at_least_one("k", options.k)?;
    parameters::share("delta", options.delta, true)?;
    parameters::at_least_one("max_columns", options.max_set_size.map(|size| size as u64))?;
    options.declared.roles()?;
    let names = &options.declared.quasi_identifiers;
    if names.is_empty() {
        return Err(Error::NoQuasiIdentifiers);
    }
    let sensitive = &options.declared.sensitive;
    if let Some(other) = options.akin.keys().find(|name| !sensitive.contains(name)) {
        return Err(Error::NotSensitive(other.clone()));
    }
    let rolls_up =
        options.sets || options.all_sets || options.attributes || options.values > 0 || !sensitive.is_empty();
    let known = source.columns();
    if let Some((name, _)) =
        options.declared.roles()?.into_iter().find(|(name, _)| !known.iter().any(|one| one == name))
    {
        return Err(EngineError::UnknownColumn { name: name.into(), known }.into());
    }
    // What `check` would count is counted here: people where a column tells them apart.
    let CountedPeople { subject, repeated } = CountedPeople::of(engine, source, &options.declared)?;
    let question = Question {
        quasi_identifiers: names.clone(),
        sensitive: sensitive.clone(),
        sizes_only: !rolls_up && subject.is_none(),
        subject,
        ..Question::default()
    };
    let (others, counted) = count(engine, source, &question, options)?;
    let sizes = counted.sizes_of_all.as_ref().unwrap_or(&counted.sizes);
    let mut answer = Diagnosed {
        source: source.name().into(),
        quasi_identifiers: names.clone(),
        rows: counted.rows,
        tuples: sizes.classes(),
        k: sizes.k(),
        unique_rows: sizes.unique(),
        mean_risk: sizes.mean_risk(),
        spilled_bytes: counted.spilled_bytes,
        guessed_subject: question.subject.clone().filter(|_| options.declared.subject.is_none()),
        findings: repeated.iter().map(RepeatedIdentifier::finding).collect(),
        ..Diagnosed::default()
    };
    // Without tuples people cannot be told apart over classes; their appearances stand in for them.
    let people = counted.table.as_ref().map_or_else(|| sizes.total(), FrequencyTable::people);
    if question.subject.is_some() {
        answer.people = Some(people);
        answer.appearances = Some(sizes.total()).filter(|&appearances| appearances > people);
    }
    answer_about_k(&mut answer, sizes, people, options);
    if rolls_up {
        let (table, watch) = (counted.into_table(engine)?, engine.watch());
        let asked = SetQuestions { table: &table, others: &others, options, watch: &watch };
        match options.all_sets {
            true => engine.roll_up(&table, || answer_about_sets(&mut answer, &asked))??,
            false => engine.measure_sets(&table, || answer_about_sets(&mut answer, &asked))??,
        }
    }
    Ok(answer)
}

/// The tuples, with the profiles of the quasi-identifiers that they do not hold when there are too many for a tuple.
fn count(
    engine: &Engine,
    source: &Source,
    question: &Question,
    options: &DiagnoseOptions,
) -> Result<(Vec<ColumnProfile>, Answer)> {
    /// The rows by which columns are chosen.
    const HEAD_ROWS: usize = 1_000;
    let names = &question.quasi_identifiers;
    // Questions about classes by their values, and about sensitive values in them, need all columns in the tuples.
    let needs_tuples = options.values > 0 || !question.sensitive.is_empty() || options.attributes;
    if names.len() <= ColumnSet::CAPACITY || needs_tuples {
        return Ok((vec![], source.count(engine, question)?));
    }
    if options.all_sets {
        return Err(Error::TooManySets { columns: names.len() });
    }
    let head = source.profile_head(engine, names, HEAD_ROWS)?;
    let combined = Combined::of_head(question, &head, HEAD_ROWS, options.k.unwrap_or(2));
    let (profiles, answer) = combined.count(|question| {
        let (profiles, answer) = source.profile_and_count(engine, names, question)?;
        let other = |profile: &ColumnProfile| question.other_quasi_identifiers.contains(&profile.name);
        Ok((profiles.into_iter().filter(other).collect(), answer))
    })?;
    Ok((profiles, answer))
}

fn bound(options: &DiagnoseOptions) -> Option<Bound> {
    options.k.map(|k| if options.at_most { Bound::AtMost(k) } else { Bound::AtLeast(k) })
}

/// A part as a share. People who stand in several small classes are counted in each, which can make more than all.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) }
}

/// Questions 1, 2, 5, 6, 9 and 11: all quasi-identifiers together.
fn answer_about_k(answer: &mut Diagnosed, sizes: &ClassSizes, people: u64, options: &DiagnoseOptions) {
    let kept = options.delta.map(|delta| sizes.at_budget(ClassSizes::budget(delta, people)));
    answer.k_suppressed = kept.map(|kept| kept.k);
    answer.suppressed_rows = kept.map(|kept| kept.suppressed);
    let reached = kept.map_or(sizes.k(), |kept| kept.k);
    answer.holds = bound(options).map(|bound| bound.holds(reached));
    answer.rows_below_k = options.k.map(|k| sizes.below(k));
    answer.least_delta = options.k.filter(|_| !options.at_most).map(|k| share(sizes.below(k), people));
    answer.curve = options.curve.map(|points| suppression_curve(sizes, people, points));
}

/// What is asked about sets, and of what.
struct SetQuestions<'a> {
    table: &'a FrequencyTable,
    /// The quasi-identifiers that are not in the table.
    others: &'a [ColumnProfile],
    options: &'a DiagnoseOptions,
    watch: &'a Watch,
}

/// Questions 3, 4, 7, 8, 10 and 12: sets of the quasi-identifiers.
fn answer_about_sets(answer: &mut Diagnosed, asked: &SetQuestions<'_>) -> Result<()> {
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
    if options.values > 0 {
        answer.classes_to_suppress = Some(small_classes(table, columns, k, options.values));
    }
    Ok(())
}

/// A search that was asked for may take this many times the effort of `check`.
const EFFORT: u64 = 10;

/// The borders between the sets that reach k and those that do not.
fn search_sets(answer: &mut Diagnosed, asked: &SetQuestions<'_>, columns: ColumnSet, k: u64) -> Result<()> {
    let SetQuestions { table, others, options, watch } = *asked;
    let delta = options.delta.unwrap_or(0.0);
    // "At most k" is the complement of "at least k + 1".
    let k = k.saturating_add(u64::from(options.at_most));
    let effort = usual_effort(table.tuples(), columns.len()).saturating_mul(EFFORT);
    let most = options.max_set_size.unwrap_or(usize::MAX);
    let search = Search::new(k).suppressing(delta).up_to(most).within(effort).among(columns);
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

/// For which parameters the models about the sensitive columns hold; these stand after the quasi-identifiers.
pub(crate) fn kept(
    table: &FrequencyTable,
    quasi_identifiers: ColumnSet,
    akin: &BTreeMap<String, Akin>,
    watch: &Watch,
) -> Result<Vec<Kept>> {
    let known = |at: usize| (at, akin.get(&table.attributes()[at].name).cloned().unwrap_or_default());
    if quasi_identifiers.len() < table.attributes().len() {
        Error::refuse_nobody(table)?;
    }
    let sensitive: Vec<(usize, Akin)> = (quasi_identifiers.len()..table.attributes().len()).map(known).collect();
    Ok(Kept::knowing(table, quasi_identifiers, &sensitive, watch)??)
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
