//! The original that every release is compared with, and what is measured on it.

use std::path::Path;

use incrowd_core::FrequencyTable;
use incrowd_core::query::{Condition, Leaf, Query};
use incrowd_engine::{Engine, Question, Source};
use incrowd_verify::Manifest;

use super::classifier::NaiveBayes;
use super::distribution::Distribution;
use super::joint::{Joint, total_variation};
use super::report::{ClassSizesTold, ComparedRelease, Dependence, Learnt, Marginal, QueryErrors};
use super::spread::SpreadRelease;
use super::workload::{DrawnQuery, Errors, QueryDraws, Workload};
use crate::ask::query::{Estimator, ReleaseView};
use crate::error::Result;

/// Columns of more values are left out of pairs: there would be more pairs of values than rows to distinguish them.
const MOST_VALUES: usize = 1_000;
/// A question that no row answers is drawn again; the most draws for each question.
const REDRAWS: usize = 1_000;

/// The original that every release is compared with.
pub(super) struct Original {
    pub(super) table: FrequencyTable,
    quasi: Vec<usize>,
    sensitive: Vec<usize>,
    pub(super) questions: Vec<(DrawnQuery, f64)>,
    /// Columns of which pairs are inspected, by position.
    paired: Vec<usize>,
}

impl Original {
    pub(super) fn read(
        engine: &Engine,
        source: &Source,
        names: Vec<String>,
        (quasi, sensitive): (usize, usize),
        workload: &Workload,
    ) -> Result<Original> {
        let question = Question { quasi_identifiers: names, ..Question::default() };
        let table = source.count(engine, &question)?.into_table(engine)?;
        // The missing value is not asked for: no question of the paper's form names it.
        let values = |at: usize| table.attributes()[at].dictionary.values().len();
        let sized = |range: std::ops::Range<usize>| {
            range.map(|at| (at, values(at))).filter(|column| column.1 > 0).collect::<Vec<_>>()
        };
        let (of_quasi, of_sensitive) = (sized(0..quasi), sized(quasi..quasi + sensitive));
        let paired = (0..table.attributes().len()).filter(|&at| table.attributes()[at].dictionary.len() <= MOST_VALUES);
        let mut original = Original {
            paired: paired.collect(),
            quasi: (0..quasi).collect(),
            sensitive: (quasi..quasi + sensitive).collect(),
            questions: Vec::new(),
            table,
        };
        let draws = QueryDraws::new(workload, &of_quasi, &of_sensitive).take(workload.queries.saturating_mul(REDRAWS));
        for drawn in draws {
            if original.questions.len() == workload.queries {
                break;
            }
            let actual = original.count(&drawn);
            if actual > 0 {
                original.questions.push((drawn, actual as f64));
            }
        }
        Ok(original)
    }

    /// How many rows answer a question.
    fn count(&self, drawn: &DrawnQuery) -> u64 {
        let wanted: Vec<(usize, Vec<bool>)> = drawn
            .conditions
            .iter()
            .map(|(column, codes)| {
                let mut wanted = vec![false; self.table.attributes()[*column].dictionary.len()];
                codes.iter().for_each(|&code| wanted[code as usize] = true);
                (*column, wanted)
            })
            .collect();
        let answers =
            |tuple: &usize| wanted.iter().all(|(column, wanted)| wanted[self.table.code(*tuple, *column) as usize]);
        (0..self.table.tuples()).filter(answers).map(|tuple| self.table.count(tuple)).sum()
    }

    fn name(&self, at: usize) -> &str {
        &self.table.attributes()[at].name
    }

    /// A drawn question as one that a release can be asked.
    fn question(&self, drawn: &DrawnQuery) -> Query {
        let condition = |(column, codes): &(usize, Vec<u32>)| {
            let dictionary = &self.table.attributes()[*column].dictionary;
            let labels: Vec<String> = codes.iter().map(|&code| dictionary.label(code).into_owned()).collect();
            (self.name(*column).to_owned(), Condition::one_of(labels.iter().map(String::as_str)))
        };
        Query::count(drawn.conditions.iter().map(condition))
    }

    pub(super) fn hold_against(
        &self,
        release: &Path,
        manifest: &Manifest,
        view: &ReleaseView,
        target: Option<usize>,
    ) -> Result<ComparedRelease> {
        let columns: Vec<(&str, &incrowd_core::Dictionary)> =
            self.table.attributes().iter().map(|attribute| (attribute.name.as_str(), &attribute.dictionary)).collect();
        let spread = SpreadRelease::new(view, &columns);
        let mut notes = Vec::new();
        let unread: Vec<&str> = columns.iter().map(|column| column.0).filter(|name| !spread.has(name)).collect();
        if !unread.is_empty() {
            notes.push(format!("not compared, because their labels cannot be mapped to values: {}", unread.join(", ")));
        }
        let marginals: Vec<Marginal> =
            (0..columns.len()).filter_map(|at| self.marginal(at, &spread.marginal(columns[at].0)?)).collect();
        let dependence = self.dependence(&spread);
        let differences = dependence.iter().map(|pair| (pair.after - pair.before).abs());
        let mean = |sum: f64, count: usize| if count > 0 { sum / count as f64 } else { 0.0 };
        let quasi: Vec<&str> = self.quasi.iter().map(|&at| self.name(at)).collect();
        Ok(ComparedRelease {
            release: release.display().to_string(),
            publish: if manifest.two_tables.is_some() { "two-tables" } else { "one-table" },
            algorithm: manifest.algorithm.clone(),
            rows: manifest.rows,
            suppressed_rows: self.table.rows().saturating_sub(manifest.rows),
            class_sizes: ClassSizesTold::of(view.class_sizes(&quasi)),
            loss: manifest.loss.clone(),
            queries: self.errors(view)?,
            marginal_distance: mean(marginals.iter().map(|marginal| marginal.distance).sum(), marginals.len()),
            marginals,
            dependence_difference: mean(differences.sum(), dependence.len()),
            dependence,
            accuracy: target.and_then(|target| self.accuracy(target, |a, b| spread.joint(a, b))),
            notes,
            distributions: Vec::new(),
        })
    }

    /// The values of each column before and after; with labels where the reader may see them.
    pub(super) fn distributions(&self, view: &ReleaseView, labelled: &[String]) -> Vec<Distribution> {
        let columns: Vec<(&str, &incrowd_core::Dictionary)> =
            self.table.attributes().iter().map(|attribute| (attribute.name.as_str(), &attribute.dictionary)).collect();
        let spread = SpreadRelease::new(view, &columns);
        let one = |(at, &(name, dictionary)): (usize, &(&str, &incrowd_core::Dictionary))| {
            let (before, after) = (self.counts(at), spread.marginal(name)?);
            let may_see = labelled.iter().any(|column| column == name);
            Some(Distribution::new(name, dictionary, &before, &after, may_see))
        };
        columns.iter().enumerate().filter_map(one).collect()
    }

    /// The relative errors of the answers, by both estimators of the release's form.
    fn errors(&self, view: &ReleaseView) -> Result<Vec<QueryErrors>> {
        let other = match view.estimator() {
            Estimator::Expected => Estimator::Printed,
            _ => Estimator::Overlap,
        };
        let mut told = Vec::new();
        for estimator in [view.estimator(), other] {
            let mut errors = Vec::with_capacity(self.questions.len());
            for (drawn, actual) in &self.questions {
                let estimate = view.estimate(&self.question(drawn), estimator)?;
                errors.push((estimate - actual).abs() / actual);
            }
            told.extend(Errors::of(errors).map(|errors| QueryErrors { estimator: estimator.name(), errors }));
        }
        Ok(told)
    }

    fn counts(&self, at: usize) -> Vec<f64> {
        let mut rows = vec![0.0; self.table.attributes()[at].dictionary.len()];
        (0..self.table.tuples())
            .for_each(|tuple| rows[self.table.code(tuple, at) as usize] += self.table.count(tuple) as f64);
        rows
    }

    fn joint(&self, one: usize, other: usize) -> Joint {
        let values = |at: usize| self.table.attributes()[at].dictionary.len();
        let mut joint = Joint::new(values(one), values(other));
        for tuple in 0..self.table.tuples() {
            let codes = [one, other].map(|at| self.table.code(tuple, at) as usize);
            joint.add(codes[0], codes[1], self.table.count(tuple) as f64);
        }
        joint
    }

    fn marginal(&self, at: usize, after: &[f64]) -> Option<Marginal> {
        let (before, dictionary) = (self.counts(at), &self.table.attributes()[at].dictionary);
        let leaves = Leaf::of_column(dictionary);
        let number = |code: usize| leaves.get(code).and_then(|leaf| leaf.value().number());
        let mean = |rows: &[f64]| {
            let known = rows.iter().enumerate().filter_map(|(code, &rows)| Some((number(code)?, rows)));
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), (value, rows)| (sum + value * rows, count + rows));
            (count > 0.0).then(|| sum / count)
        };
        Some(Marginal {
            column: self.name(at).into(),
            distance: total_variation(&before, after),
            mean_before: mean(&before),
            mean_after: mean(after),
        })
    }

    fn dependence(&self, spread: &SpreadRelease<'_>) -> Vec<Dependence> {
        let mut pairs = Vec::new();
        for (at, &one) in self.paired.iter().enumerate() {
            for &other in &self.paired[at + 1..] {
                if let Some(after) = spread.joint(self.name(one), self.name(other)) {
                    let columns = [self.name(one).to_owned(), self.name(other).to_owned()];
                    let before = self.joint(one, other).cramers_v();
                    pairs.push(Dependence { columns, before, after: after.cramers_v() });
                }
            }
        }
        pairs
    }

    pub(super) fn learnt(&self, target: usize) -> Learnt {
        let position = |name: &str| self.table.position(name);
        let exact = |a: &str, b: &str| Some(self.joint(position(a)?, position(b)?));
        let counts = self.counts(target);
        let most = counts.iter().copied().fold(0.0, f64::max);
        Learnt {
            target: self.name(target).into(),
            accuracy: self.accuracy(target, exact).unwrap_or_default(),
            most_frequent: most / self.table.rows().max(1) as f64,
        }
    }

    /// The share of rows whose target is guessed right from the other columns by what the joints teach.
    fn accuracy(&self, target: usize, joint: impl Fn(&str, &str) -> Option<Joint>) -> Option<f64> {
        let features = self.quasi.iter().chain(&self.sensitive).copied();
        let features: Vec<usize> = features.filter(|at| *at != target && self.paired.contains(at)).collect();
        let known: Vec<(usize, Joint)> =
            features.iter().filter_map(|&at| Some((at, joint(self.name(at), self.name(target))?))).collect();
        let of_target = known.first()?.1.of_columns();
        let (features, joints): (Vec<usize>, Vec<Joint>) = known.into_iter().unzip();
        let values: Vec<usize> = features.iter().map(|&at| self.table.attributes()[at].dictionary.len()).collect();
        let learnt = NaiveBayes::train(&of_target, &joints, &values);
        let mut codes = vec![0; features.len()];
        let mut right = 0;
        for tuple in 0..self.table.tuples() {
            codes.iter_mut().zip(&features).for_each(|(code, &at)| *code = self.table.code(tuple, at));
            if learnt.guess(&codes) == self.table.code(tuple, target) as usize {
                right += self.table.count(tuple);
            }
        }
        Some(right as f64 / self.table.rows().max(1) as f64)
    }
}
