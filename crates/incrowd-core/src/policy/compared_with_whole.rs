//! What the models share that compare the values of a class with those of the whole release: t-closeness, β-likeness and
//! δ-disclosure.
//!
//! **What the whole is.** The rows that are published. A reader knows no others, the verifier sees no others, and the
//! manifest says nothing about the values of suppressed rows. So a solver that suppresses rows takes the model against
//! the rest ([`BoundModel::against`]).
//!
//! **When people are counted** both distributions are of people, each with one value: those of the class, and those whose
//! rows are published. A table in which some people have several values is refused.
//!
//! A model is first bound with all rows of the table as the whole. Local solvers withhold rows first and solve with the
//! model taken against the rest. Incognito withholds the classes that fail, judges the others against what is left, and
//! repeats this until no class fails. The whole has the distribution of itself, so such a model alone never makes a
//! policy infeasible.

use super::sensitive::{Sensitive, Whole};
use super::{BoundModel, ExcessRows, Infeasible, ModelError, OrderLimit, ShareLimits};
use crate::{FrequencyTable, Members};

/// How a model compares the values of one attribute in a class with those in the whole.
pub(crate) trait ComparisonRule: Clone + Send + Sync + 'static {
    /// What the model knows about an attribute whatever the whole is.
    type Known: Clone + Send + Sync;
    /// What it makes of the values of the attribute in the whole.
    type Limits: Send + Sync;

    /// The id of the model.
    const ID: &'static str;

    /// What the model knows about an attribute; refused where its parameters do not fit the values.
    fn known(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<Self::Known, ModelError>;

    /// What classes are compared with.
    fn limits(&self, attribute: &Sensitive, known: &Self::Known, whole: &Whole) -> Self::Limits;

    /// A class of fewer rows cannot keep the model; at least 1.
    fn least_rows(&self, _limits: &Self::Limits) -> u64 {
        1
    }

    /// Whether the values of a class of `rows` rows, at least one, are within the limits.
    fn allows(&self, at: usize, limits: &Self::Limits, class: &Members<'_>, rows: u64) -> bool;

    /// At least how many rows have to join a class, which then has at least `least` rows.
    fn lacking(&self, at: usize, limits: &Self::Limits, class: &Members<'_>, least: u64) -> u64;

    /// How many rows may leave a class, whichever they are, so that the rest is within the limits.
    fn spare(&self, at: usize, limits: &Self::Limits, class: &Members<'_>) -> u64;

    /// Limits on shares that every class keeps.
    fn share_limits(&self, at: usize, limits: &Self::Limits) -> Vec<ShareLimits>;

    /// The same as [`ComparisonRule::least_rows`] or more, for the bound on the loss.
    fn fewest_rows(&self, limits: &Self::Limits) -> u64 {
        self.least_rows(limits)
    }

    /// The limit on the distance along an order, for rules that have one.
    fn order_limit(&self, _limits: &Self::Limits) -> Option<OrderLimit> {
        None
    }

    /// Why the whole is not within the limits of its worst attribute.
    fn infeasible(&self, attributes: &[ComparedAttribute<Self>], whole: &Members<'_>) -> Infeasible;
}

/// A sensitive attribute with what its values in a class are compared with.
pub(crate) struct ComparedAttribute<R: ComparisonRule> {
    pub(crate) attribute: Sensitive,
    known: R::Known,
    pub(crate) limits: R::Limits,
}

/// A model that compares classes with the whole, for the attributes of one table.
pub(crate) struct ComparedWithWhole<R: ComparisonRule> {
    rule: R,
    attributes: Vec<ComparedAttribute<R>>,
    /// A class of fewer rows cannot keep the model; at least 1.
    least: u64,
}

impl<R: ComparisonRule> ComparedWithWhole<R> {
    /// The model for these attributes of a table, with all rows of the table as the whole.
    pub(crate) fn bind(
        rule: R,
        table: &FrequencyTable,
        sensitive: &[usize],
    ) -> Result<Box<dyn BoundModel>, ModelError> {
        let known = |attribute: Sensitive| {
            let known = rule.known(table, &attribute)?;
            Ok((attribute, known))
        };
        let attributes = Sensitive::one_each(R::ID, table, sensitive)?.into_iter().map(known);
        let attributes = attributes.collect::<Result<Vec<_>, ModelError>>()?;
        Ok(Box::new(ComparedWithWhole::new(rule, attributes, &[Members::whole(table)])))
    }

    fn new(rule: R, attributes: Vec<(Sensitive, R::Known)>, whole: &[Members<'_>]) -> Self {
        let compare = |(attribute, known): (Sensitive, R::Known)| {
            let limits = rule.limits(&attribute, &known, &attribute.whole(whole));
            ComparedAttribute { attribute, known, limits }
        };
        let attributes: Vec<ComparedAttribute<R>> = attributes.into_iter().map(compare).collect();
        let least = attributes.iter().map(|one| rule.least_rows(&one.limits)).max().unwrap_or(1);
        ComparedWithWhole { rule, attributes, least }
    }
}

impl<R: ComparisonRule> BoundModel for ComparedWithWhole<R> {
    fn gap(&self, class: &Members<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let lacking = |one: &ComparedAttribute<R>| self.rule.lacking(one.attribute.at, &one.limits, class, self.least);
        let lacking = self.attributes.iter().map(lacking).max().unwrap_or(0);
        lacking.max(self.least.saturating_sub(class.size())).max(1)
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        let rows = class.size();
        let allows = |one: &ComparedAttribute<R>| self.rule.allows(one.attribute.at, &one.limits, class, rows);
        rows >= self.least && self.attributes.iter().all(allows)
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |one: &ComparedAttribute<R>| self.rule.spare(one.attribute.at, &one.limits, class);
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        self.rule.infeasible(&self.attributes, whole)
    }

    /// The rows that are left are the whole, and the whole is like itself: nothing has to be suppressed.
    fn excess(&self, _: &Members<'_>) -> Vec<ExcessRows> {
        Vec::new()
    }

    fn share_limits(&self) -> Vec<ShareLimits> {
        self.attributes.iter().flat_map(|one| self.rule.share_limits(one.attribute.at, &one.limits)).collect()
    }

    fn fewest_rows(&self) -> u64 {
        self.attributes.iter().map(|one| self.rule.fewest_rows(&one.limits)).max().unwrap_or(1)
    }

    fn order_limits(&self) -> Vec<OrderLimit> {
        self.attributes.iter().filter_map(|one| self.rule.order_limit(&one.limits)).collect()
    }

    fn against(&self, whole: &[Members<'_>]) -> Option<Box<dyn BoundModel>> {
        let attributes = self.attributes.iter().map(|one| (one.attribute.clone(), one.known.clone())).collect();
        Some(Box::new(ComparedWithWhole::new(self.rule.clone(), attributes, whole)))
    }
}
