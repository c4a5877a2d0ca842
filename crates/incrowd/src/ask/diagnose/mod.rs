//! `diagnose`: the twelve questions of "A privacy diagnosis centre: algorithms for k-anonymity diagnosis" about k, the
//! column set S and the share δ that may be suppressed. Numbers of questions below are those of the paper and of
//! docs/diagnosis.md.
//!
//! What is given and what is left open decides the question: k given asks whether it holds, left open asks for it; S is
//! the quasi-identifiers, or every set of them (`sets`, `all_sets`); δ given suppresses, the curve leaves it open. If
//! sensitive columns are named, the answer also gives the parameters of the models about them that the table meets. If a
//! population is given, it also estimates how many people are unique in it (`population.rs`); rows that are unique on few
//! columns are searched (`special.rs`), and surveys with weights have a risk for each row (`survey.rs`).

mod answer;
mod population;
mod sets;
mod special;
mod survey;

use std::collections::BTreeMap;

use incrowd_core::{ClassSizes, ColumnProfile, ColumnSet, FrequencyTable, TightestParameters, ValueRelations, Watch};
use incrowd_engine::{Answer, Engine, EngineError, Question, Source};
use incrowd_risk::diagnosis::{KBound, suppression_curve};
use incrowd_risk::population::MOST_CELLS;

use crate::ask::tuple_columns::TupleColumns;
use crate::error::{Error, Result};
use crate::parameters;
use crate::repeated_identifiers::{CountedPeople, RepeatedIdentifier};
use crate::roles::Declared;
use population::{SampleOfPeople, answer_about_population};
use sets::{SetQuestions, answer_about_sets};

pub use answer::{Diagnosed, SetAnswer, SmallClass};
pub use population::{CountedInPopulation, PopulationGiven, SmallInPopulation};
pub use special::SpecialRow;
pub use survey::SurveyGiven;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct DiagnoseOptions {
    /// The columns to look at, the sensitive ones among them, and the subject if people are counted.
    pub declared: Declared,
    /// What is known about the values of sensitive columns, by name.
    pub akin: BTreeMap<String, ValueRelations>,
    /// The requested k.
    pub k: Option<u64>,
    /// Ask for "at most k" instead of "at least k".
    pub at_most: bool,
    /// The share of rows that may be suppressed.
    pub delta: Option<f64>,
    /// Search the largest safe and the smallest dangerous column sets.
    pub sets: bool,
    /// Compute k for every column set.
    pub all_sets: bool,
    /// The largest sets that are searched.
    pub max_set_size: Option<usize>,
    /// The most steps of the suppression curve, if it is wanted.
    pub curve: Option<usize>,
    /// What each column does to the risk.
    pub attributes: bool,
    /// The most classes to suppress that are named; 0 unless the reader may see the table.
    pub values: usize,
    /// The population that the table is a sample of, if risks are to be counted in it or estimated.
    pub population: Option<PopulationGiven>,
    /// Search rows that are unique on column sets of at most this size.
    pub special_uniques: Option<usize>,
    /// The columns of a survey with weights, if its individual risks are wanted.
    pub survey: Option<SurveyGiven>,
    /// Fit log-linear models.
    pub log_linear: bool,
}

/// Answers the questions in one scan; column sets are rolled up from its tuples.
pub fn diagnose(engine: &Engine, source: &Source, options: &DiagnoseOptions) -> Result<Diagnosed> {
    parameters::at_least_one("k", options.k)?;
    parameters::share("delta", options.delta, true)?;
    parameters::at_least_one("max_columns", options.max_set_size.map(|size| size as u64))?;
    options.population.as_ref().map_or(Ok(()), PopulationGiven::check)?;
    options.declared.roles()?;
    let names = &options.declared.quasi_identifiers;
    if names.is_empty() {
        return Err(Error::NoQuasiIdentifiers);
    }
    let sensitive = &options.declared.sensitive;
    if let Some(other) = options.akin.keys().find(|name| !sensitive.contains(name)) {
        return Err(Error::NotSensitive(other.clone()));
    }
    let rolls_up = rolls_up(options);
    refuse_unknown_columns(source, options)?;
    // What `check` would count is counted here: people where a column distinguishes them.
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
    // Without tuples people cannot be distinguished over classes; their appearances stand in for them.
    let people = counted.table.as_ref().map_or_else(|| sizes.total(), FrequencyTable::people);
    if question.subject.is_some() {
        answer.people = Some(people);
        answer.appearances = Some(sizes.total()).filter(|&appearances| appearances > people);
    }
    let one_class_each = question.subject.is_none() || (counted.table.is_some() && answer.appearances.is_none());
    let sample = SampleOfPeople { sizes, people, one_class_each };
    let sampling_fraction = answer_about_population(&mut answer, engine, source, &sample, options)?;
    answer_about_k(&mut answer, sizes, people, options);
    if rolls_up {
        let (table, watch) = (counted.into_table(engine)?, engine.watch());
        let most_cells = engine.memory().map_or(MOST_CELLS, |limit| usize::try_from(limit / 16).unwrap_or(MOST_CELLS));
        let asked = SetQuestions {
            table: &table,
            others: &others,
            options,
            sampling_fraction,
            one_class_each,
            most_cells,
            watch: &watch,
        };
        match options.all_sets {
            true => engine.roll_up(&table, || answer_about_sets(&mut answer, &asked))??,
            false => engine.measure_sets(&table, || answer_about_sets(&mut answer, &asked))??,
        }
    }
    Ok(answer)
}

/// Whether a question needs the tuples, and not their sizes only.
fn rolls_up(options: &DiagnoseOptions) -> bool {
    let about_sets = options.sets || options.all_sets || options.attributes || options.special_uniques.is_some();
    about_sets || options.log_linear || options.values > 0 || !options.declared.sensitive.is_empty()
}

/// Refuses columns that the table does not have, and a weight or household that is a quasi-identifier too.
fn refuse_unknown_columns(source: &Source, options: &DiagnoseOptions) -> Result<()> {
    let known = source.columns();
    let of_survey = options.survey.as_ref().map(SurveyGiven::columns).unwrap_or_default();
    let roles = options.declared.roles()?;
    let mut named = roles.iter().map(|(name, _)| *name).chain(of_survey.iter().map(String::as_str));
    if let Some(name) = named.find(|name| !known.iter().any(|one| one == name)) {
        return Err(EngineError::UnknownColumn { name: name.into(), known }.into());
    }
    let taken = of_survey.iter().find(|name| options.declared.quasi_identifiers.contains(name));
    taken.map_or(Ok(()), |name| Err(Error::TwoRoles(name.clone())))
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
    let about_rows = options.special_uniques.is_some() || options.log_linear;
    let needs_tuples = about_rows || options.values > 0 || !question.sensitive.is_empty() || options.attributes;
    if names.len() <= ColumnSet::CAPACITY || needs_tuples {
        return Ok((vec![], source.count(engine, question)?));
    }
    if options.all_sets {
        return Err(Error::TooManySets { columns: names.len() });
    }
    let head = source.profile_head(engine, names, HEAD_ROWS)?;
    let combined = TupleColumns::of_head(question, &head, HEAD_ROWS, options.k.unwrap_or(2));
    let (profiles, answer) = combined.count(|question| {
        let (profiles, answer) = source.profile_and_count(engine, names, question)?;
        let other = |profile: &ColumnProfile| question.other_quasi_identifiers.contains(&profile.name);
        Ok((profiles.into_iter().filter(other).collect(), answer))
    })?;
    Ok((profiles, answer))
}

fn bound(options: &DiagnoseOptions) -> Option<KBound> {
    options.k.map(|k| if options.at_most { KBound::AtMost(k) } else { KBound::AtLeast(k) })
}

/// A part as a share. People who are in several small classes are counted in each, which can make more than all.
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

/// For which parameters the models about the sensitive columns hold; these stand after the quasi-identifiers.
pub(crate) fn kept(
    table: &FrequencyTable,
    quasi_identifiers: ColumnSet,
    akin: &BTreeMap<String, ValueRelations>,
    watch: &Watch,
) -> Result<Vec<TightestParameters>> {
    let known = |at: usize| (at, akin.get(&table.attributes()[at].name).cloned().unwrap_or_default());
    if quasi_identifiers.len() < table.attributes().len() {
        Error::refuse_nobody(table)?;
    }
    let sensitive: Vec<(usize, ValueRelations)> =
        (quasi_identifiers.len()..table.attributes().len()).map(known).collect();
    Ok(TightestParameters::knowing(table, quasi_identifiers, &sensitive, watch)??)
}
