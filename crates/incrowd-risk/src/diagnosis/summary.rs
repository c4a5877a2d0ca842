//! The whole diagnosis: the figures a custodian wants first, and the findings they amount to.

use incrowd_core::{
    AttributeRisk, ClassSizes, ColumnSet, Diagnosis, ExposedValue, FrequencyTable, NotSearched, Role, SearchLimit,
    SetRisk, Stopped, Watch,
};

use super::attributes::risks_on;
use super::borders::borders_on;
use super::column_codes::ColumnCodes;
use super::findings::findings;
use super::walk::unwatched;
use super::{BorderSearch, Borders, ValueRisk, suppression_curve, value_risks};

/// How a table is diagnosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosisOptions {
    /// The requested k: the minimum class size.
    pub k: u64,
    /// The largest sets of columns that are searched.
    pub max_set_size: usize,
    /// The most steps of the suppression curve.
    pub curve_points: usize,
    /// The most exposed values to name; 0 unless the reader of the diagnosis may see the table.
    pub values: usize,
    /// The most tuples that the search over column sets reads, each as often as a set is measured on it; without it,
    /// [`usual_effort`].
    pub effort: Option<u64>,
}

/// The effort that a search over the sets of a number of columns may take: about as long as reading the table a few
/// times.
pub fn usual_effort(tuples: usize, columns: usize) -> u64 {
    const LEAST: u64 = 1_500_000_000;
    const PER_CELL: u64 = 16;
    LEAST.max((tuples as u64).saturating_mul(columns as u64 * PER_CELL))
}

impl Default for DiagnosisOptions {
    fn default() -> Self {
        DiagnosisOptions { k: 5, max_set_size: 4, curve_points: 40, values: 0, effort: None }
    }
}

/// Diagnoses the quasi-identifiers of a table.
///
/// ```
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, Role};
/// use incrowd_risk::diagnosis::{DiagnosisOptions, diagnose};
/// let sex = Attribute::new("sex", Role::QuasiIdentifier, Dictionary::of_texts(["f", "m"]));
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let table = FrequencyTable::from_tuples(vec![sex, town], [([0, 0], 9), ([1, 0], 7), ([1, 1], 1)]);
/// let found = diagnose(&table, &DiagnosisOptions::default());
/// assert_eq!((found.k, found.unique), (1, 1));
/// assert_eq!(found.smallest_dangerous[0].columns, ["town"]);
/// ```
pub fn diagnose(table: &FrequencyTable, options: &DiagnosisOptions) -> Diagnosis {
    unwatched(|watch| diagnose_watched(table, options, watch))
}

/// As [`diagnose`], watched and stoppable.
pub fn diagnose_watched(
    table: &FrequencyTable,
    options: &DiagnosisOptions,
    watch: &Watch,
) -> Result<Diagnosis, Stopped> {
    diagnose_some(table, None, options, watch)
}

/// A table of more quasi-identifiers than are combined in its tuples.
#[derive(Clone, Debug, Default)]
pub struct AllColumns {
    /// The names of all quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The class sizes of all of them together.
    pub sizes: ClassSizes,
    /// What is known of each quasi-identifier that is not in the tuples.
    pub others: Vec<OtherColumn>,
}

/// A quasi-identifier that is not combined with others.
#[derive(Clone, Debug)]
pub struct OtherColumn {
    /// The column independently of the others.
    pub attribute: AttributeRisk,
    /// Its classes; nothing when people are counted and only rows are known of it.
    pub sizes: Option<ClassSizes>,
}

/// As [`diagnose_watched`] for the tuples of some quasi-identifiers, told the class sizes of all of them.
pub fn diagnose_some(
    table: &FrequencyTable,
    all: Option<&AllColumns>,
    options: &DiagnosisOptions,
    watch: &Watch,
) -> Result<Diagnosis, Stopped> {
    let columns = table.columns(Role::QuasiIdentifier);
    let people = table.people();
    let codes = ColumnCodes::new(table, columns);
    let sizes = all.map_or_else(|| codes.grouping().class_sizes(), |all| all.sizes.clone());
    let effort = options.effort.unwrap_or_else(|| usual_effort(table.tuples(), columns.len()));
    let search = BorderSearch::new(options.k).up_to(options.max_set_size).within(effort);
    // What remains without a column is a question about all of them.
    let attributes = risks_on(&codes, table, options.k, if all.is_some() { 0 } else { effort }, watch)?;
    let found = borders_on(codes, people, &search, watch)?;
    let values = value_risks(table, columns, options.k);
    let smallest_dangerous = dangerous_sets(table, &found);
    let curve = suppression_curve(&sizes, people, options.curve_points);
    let crowds = Crowds {
        quasi_identifiers: all.map_or_else(|| table.names(columns), |all| all.quasi_identifiers.clone()),
        rows: table.rows(),
        tuples: if all.is_some() { sizes.classes() } else { table.tuples() as u64 },
        sizes,
        counts_people: table.counts_people(),
        columns: Vec::new(),
    };
    let mut diagnosis = Diagnosis {
        people,
        curve,
        attributes,
        largest_safe: found.largest_safe.iter().map(|&set| table.names(set)).collect(),
        smallest_dangerous,
        groupings: found.groupings,
        not_searched: not_searched(&found, options),
        exposed_values: (options.values > 0)
            .then(|| exposed_values(table, &values[..options.values.min(values.len())])),
        ..figures(crowds, options)
    };
    if let Some(all) = all {
        add_others(&mut diagnosis, all, options);
    }
    if diagnosis.k >= options.k {
        // All of them together are safe, and so is every set of them.
        diagnosis.not_searched.retain(|left| left.limit == SearchLimit::Size);
    }
    diagnosis.complete = diagnosis.not_searched.is_empty();
    let missing = |risk: &&ValueRisk| table.attributes()[risk.column].dictionary.missing() == Some(risk.code);
    let gap = |risk: &ValueRisk| (table.attributes()[risk.column].name.clone(), risk.exposed);
    let gaps: Vec<(String, u64)> = values.iter().filter(missing).map(gap).collect();
    diagnosis.findings = findings(&diagnosis, table.counts_people(), &gaps);
    Ok(diagnosis)
}

/// What is known of some columns of a table before they are asked for together.
#[derive(Clone, Debug)]
pub struct MeasuredColumns<'a> {
    /// The columns that are the quasi-identifiers.
    pub columns: ColumnSet,
    /// The class sizes of all of them together.
    pub sizes: ClassSizes,
    /// What was measured of sets of these and other columns.
    pub borders: &'a Borders,
    /// Each of the columns.
    pub attributes: Vec<AttributeRisk>,
}

/// As [`diagnose`] for some columns of a table, from what was measured before: no tuple is read. Says nothing about
/// values.
pub fn diagnose_measured(
    table: &FrequencyTable,
    measured: MeasuredColumns<'_>,
    options: &DiagnosisOptions,
) -> Diagnosis {
    let MeasuredColumns { columns, sizes, borders, attributes } = measured;
    let found = borders.within(columns);
    let people = table.people();
    let crowds = Crowds {
        quasi_identifiers: table.names(columns),
        rows: table.rows(),
        tuples: sizes.classes(),
        counts_people: table.counts_people(),
        columns: dangerous_sets(table, &found),
        sizes: sizes.clone(),
    };
    let mut diagnosis = Diagnosis {
        people,
        curve: suppression_curve(&sizes, people, options.curve_points),
        attributes,
        largest_safe: found.largest_safe.iter().map(|&set| table.names(set)).collect(),
        groupings: found.groupings,
        not_searched: not_searched(&found, options),
        ..figures(crowds, options)
    };
    if diagnosis.k >= options.k {
        // All of them together are safe, and so is every set of them.
        diagnosis.not_searched.retain(|left| left.limit == SearchLimit::Size);
    }
    diagnosis.complete = diagnosis.not_searched.is_empty();
    diagnosis.findings = findings(&diagnosis, table.counts_people(), &[]);
    diagnosis
}

/// The smallest dangerous sets with their figures.
fn dangerous_sets(table: &FrequencyTable, found: &Borders) -> Vec<SetRisk> {
    let sets = found.smallest_dangerous.iter().filter_map(|&set| found.of(set));
    sets.map(|set| SetRisk { columns: table.names(set.columns), k: set.k, unique: set.unique, below: set.below })
        .collect()
}

/// The sets that a search of all columns of its tuples did not measure.
fn not_searched(found: &Borders, options: &DiagnosisOptions) -> Vec<NotSearched> {
    let left = |cut: &super::SearchCut| NotSearched {
        limit: if cut.by_effort { SearchLimit::Effort } else { SearchLimit::Size },
        // Of sets that are larger than was requested, one is enough to know that there are some.
        set_size: if cut.by_effort { cut.size } else { options.max_set_size + 1 },
        sets: cut.by_effort.then_some(cut.sets),
        at_least: !cut.exact,
        columns: Vec::new(),
    };
    found.cut.iter().map(left).collect()
}

/// Adds what is known of the quasi-identifiers that were not combined with others.
fn add_others(diagnosis: &mut Diagnosis, all: &AllColumns, options: &DiagnosisOptions) {
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let dangerous = diagnosis.smallest_dangerous.iter().filter(|set| set.columns.len() == 1).count();
    let combined = (diagnosis.attributes.len() - dangerous) as u64;
    let (mut open, mut unmeasured) = (Vec::new(), false);
    for OtherColumn { attribute, sizes } in &all.others {
        let name = &attribute.name;
        match sizes.as_ref().map(|sizes| (sizes, sizes.k() >= options.k)) {
            Some((_, true)) => {
                diagnosis.largest_safe.push(vec![name.clone()]);
                open.push(name.clone());
            }
            Some((sizes, false)) => {
                let (unique, below) = (sizes.unique(), sizes.below(options.k));
                let risk = SetRisk { columns: vec![name.clone()], k: sizes.k(), unique, below };
                diagnosis.smallest_dangerous.push(risk);
            }
            None => {
                unmeasured = true;
                open.push(name.clone());
            }
        }
        diagnosis.groupings += usize::from(sizes.is_some());
        diagnosis.attributes.push(attribute.clone());
    }
    diagnosis.smallest_dangerous.sort_by_key(|set| set.columns.len());
    let place: std::collections::HashMap<&String, usize> = all.quasi_identifiers.iter().zip(0..).collect();
    diagnosis.attributes.sort_by_key(|attribute| place.get(&attribute.name).copied());
    if open.is_empty() {
        return;
    }
    let sets = match unmeasured {
        true => open.len() as u64,
        false => pairs(combined + open.len() as u64) - pairs(combined),
    };
    let set_size = if unmeasured { 1 } else { 2 };
    let left = NotSearched { limit: SearchLimit::Columns, set_size, sets: Some(sets), at_least: false, columns: open };
    // A single column next to which no other is safe is in no set that is open.
    if sets > 0 {
        diagnosis.not_searched.insert(0, left);
    }
}

/// What is known of a table whose tuples are too many to be rolled up.
#[derive(Clone, Debug, Default)]
pub struct Crowds {
    /// The names of the quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The class sizes of all of them together.
    pub sizes: ClassSizes,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples.
    pub tuples: u64,
    /// Whether sizes count people instead of rows.
    pub counts_people: bool,
    /// The quasi-identifiers that are dangerous alone.
    pub columns: Vec<SetRisk>,
}

/// Diagnoses by class sizes alone: no sets of several columns, no values, nothing about what a column adds.
///
/// ```
/// use incrowd_core::ClassSizes;
/// use incrowd_risk::diagnosis::{Crowds, DiagnosisOptions, diagnose_sizes};
/// let crowds = Crowds { sizes: ClassSizes::from_sizes([1, 9]), rows: 10, tuples: 2, ..Crowds::default() };
/// let found = diagnose_sizes(crowds, &DiagnosisOptions::default());
/// assert_eq!((found.k, found.unique, found.complete), (1, 1, false));
/// ```
pub fn diagnose_sizes(crowds: Crowds, options: &DiagnosisOptions) -> Diagnosis {
    let counts_people = crowds.counts_people;
    let mut diagnosis = figures(crowds, options);
    if diagnosis.quasi_identifiers.len() > 1 {
        let set_size = if counts_people { 1 } else { 2 };
        let limit = SearchLimit::Memory;
        diagnosis.not_searched = vec![NotSearched { limit, set_size, sets: None, at_least: false, columns: vec![] }];
    }
    diagnosis.findings = findings(&diagnosis, counts_people, &[]);
    diagnosis
}

/// The figures that follow from class sizes.
fn figures(crowds: Crowds, options: &DiagnosisOptions) -> Diagnosis {
    let Crowds { quasi_identifiers, sizes, rows, tuples, columns, .. } = crowds;
    Diagnosis {
        rows,
        tuples,
        // Who is in several classes cannot be derived from sizes.
        people: sizes.total(),
        appearances: sizes.total(),
        quasi_identifiers,
        k_asked: options.k,
        k: sizes.k(),
        classes: sizes.classes(),
        unique: sizes.unique(),
        below: sizes.below(options.k),
        mean_risk: sizes.mean_risk(),
        curve: suppression_curve(&sizes, sizes.total(), options.curve_points),
        attributes: Vec::new(),
        largest_safe: Vec::new(),
        smallest_dangerous: columns,
        groupings: 0,
        complete: false,
        not_searched: Vec::new(),
        exposed_values: None,
        findings: Vec::new(),
    }
}

fn exposed_values(table: &FrequencyTable, values: &[ValueRisk]) -> Vec<ExposedValue> {
    values
        .iter()
        .map(|risk| {
            let attribute = &table.attributes()[risk.column];
            let value = attribute.dictionary.label(risk.code).into_owned();
            ExposedValue { column: attribute.name.clone(), value, rows: risk.rows, exposed: risk.exposed }
        })
        .collect()
}
