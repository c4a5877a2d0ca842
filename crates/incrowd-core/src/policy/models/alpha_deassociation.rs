//! α-deassociation: in no class does a protected sensitive value have more than a share α of the rows.
//!
//! When people are counted (the table has a subject column): in no class, and not in the release as a whole, do more than a
//! share α of the people have the value, or any of the protected values, at least once. The whole is named because a person
//! may be in several classes: six people with two values each, dealt into two classes so that each class sees one value of
//! each person, keep α = 1/2 class by class, and all six have both values. When rows are counted the whole follows from
//! the classes.
//!
//! Together with k-anonymity it is the (α, k)-anonymity of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006:
//! for one value (Def. 4), with the ceiling (Def. 5), for several values taken together (sec. 6.1), for every value by
//! itself (Def. 10–12), and for several sensitive attributes (Def. 13–14).

use super::ModelEntry;
use crate::numbers::to_u64;
use crate::policy::largest_share::LargestShare;
use crate::policy::samples::{each_with, ratios};
use crate::policy::sensitive::AS_A_WHOLE;
use crate::policy::{
    BoundModel, BoundedShare, ExcessRows, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters,
    ShareLimits, Survives, TightestEntry, TooMany,
};
use crate::{FrequencyTable, Members, Ratio, percent, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, at most a share α of the people have the protected sensitive value, or the same value.",
    reference: "R. Wong, J. Li, A. Fu and K. Wang, (α, k)-anonymity, KDD 2006",
    parameters: &[ALPHA, VALUES, RULE],
    example: || Parameters::default().with("alpha", "1/2"),
    samples: |values| {
        let rules =
            each_with(&ratios("alpha", 1..6, 6), &["exact", "refined"], |sample, rule| sample.with("rule", *rule));
        let protected = [None, Some(vec![values[0].clone()]), Some(vec![values[0].clone(), values[2].clone()])];
        each_with(&rules, &protected, |sample, values| match values {
            Some(values) => sample.with("values", values.clone()),
            None => sample,
        })
    },
    sensitive: true,
    population: false,
    several_values: true,
    tightest: &[TightestEntry::of("alpha", "alpha", HoldsFor::From)],
    new: |given| {
        let refined = given.word(&RULE)? == "refined";
        Ok(Box::new(AlphaDeassociation { alpha: given.share(&ALPHA)?, values: given.values(&VALUES)?, refined }))
    },
    worst_class: |_| Ok(Some(LargestShare::as_figure(|share| share.rounded_up().unwrap_or(1.0)))),
    #[cfg(test)]
    definition: |asked, class, _| {
        let ((above, below), rows) = (asked.ratio("alpha"), class.total());
        let having: Vec<u64> = match asked.list("values") {
            None => class.counts().collect(),
            Some(values) => vec![values.iter().map(|value| class.of_value(value)).sum()],
        };
        Some(having.into_iter().all(|having| match asked.is("rule", "refined") {
            true => having <= (above * rows).div_ceil(below),
            false => having * below <= above * rows,
        }))
    },
};

const ID: &str = "alpha-deassociation";
const ALPHA: ParameterEntry =
    ParameterEntry::share("alpha", "α", "Maximum share of the people of a class who may have a protected value.");
const VALUES: ParameterEntry =
    ParameterEntry::values("values", "The protected values, counted together [default: each value separately].");
const RULE: ParameterEntry = ParameterEntry::word(
    "rule",
    &["exact", "refined"],
    "`exact` or `refined`",
    "Whether the share is exact, or refined: rounded up to a whole row [default: exact].",
);

/// No protected value has more than a share α of the rows of any class; each named attribute separately.
///
/// **The exact rule survives merging.** Let s₁ ≤ α·n₁ and s₂ ≤ α·n₂ be the rows of a protected value in two classes.
/// Then s₁ + s₂ ≤ α·(n₁ + n₂): the share of a union is at most the larger of both shares. It does not survive growth:
/// rows that join may all have the value.
///
/// **With people it does not survive merging.** Let person 1 have v, person 2 have w and person 3 have v. The classes {1, 2}
/// and {2, 3} keep α = 1/2, their union {1, 2, 3} has v for 2 of 3 people. (Counts add up only where no person is in both.)
///
/// **The refined rule does not survive merging.** Two classes of 2 rows with 1 each keep 1 ≤ ⌈0.1·2⌉, their union has
/// 2 > ⌈0.1·4⌉ = 1. Lemmas 2, 3 and 5 of the paper argue with the exact share. A pair may then be half protected at
/// α = 0.1, so the refined rule has to be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlphaDeassociation {
    /// The largest share.
    pub alpha: Ratio,
    /// The protected values, taken together; every value separately when left out.
    pub values: Option<Vec<String>>,
    /// Whether ⌈α·rows⌉ are allowed instead of α·rows.
    pub refined: bool,
}

impl Model for AlphaDeassociation {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let share = percent(self.alpha.to_f64());
        let what = match &self.values {
            None => "the same sensitive value",
            Some(values) if values.len() == 1 => "the protected sensitive value",
            Some(_) => "one of the protected sensitive values",
        };
        let rounded = if self.refined { " (rounded up to a whole row)" } else { "" };
        format!("In every class, at most {share} of the rows{rounded} have {what}.")
    }

    fn breach(&self) -> String {
        let what = match &self.values {
            None => "one value has",
            Some(values) if values.len() == 1 => "the protected value has",
            Some(_) => "the protected values have",
        };
        let rounded = if self.refined { ", rounded up," } else { "" };
        format!("in which {what} more than α = {}{rounded} of the rows", self.alpha)
    }

    fn promise_for_people(&self) -> String {
        let share = percent(self.alpha.to_f64());
        let what = match &self.values {
            None => "the same value",
            Some(values) if values.len() == 1 => "the protected value",
            Some(_) => "any of the protected values",
        };
        let rounded = if self.refined { " (rounded up to a whole person)" } else { "" };
        format!(
            "In each class, and in the release as a whole, at most {share} of the people{rounded} have {what} in their rows \
             there."
        )
    }

    fn breach_for_people(&self) -> String {
        let what = match &self.values {
            None => "one value",
            Some(values) if values.len() == 1 => "the protected value",
            Some(_) => "a protected value",
        };
        let rounded = if self.refined { ", rounded up," } else { "" };
        format!("in which more than α = {}{rounded} of the people have {what}", self.alpha)
    }

    fn survives(&self) -> Survives {
        if self.refined { Survives::Nothing } else { Survives::Merging }
    }

    fn least_rows(&self) -> u64 {
        // A class without any protected row may be a single one, and a single row is allowed when it is rounded up.
        if self.values.is_some() || self.refined { 1 } else { self.alpha.least_whole(1).unwrap_or(u64::MAX) }
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        if sensitive.is_empty() {
            return Err(ModelError::NoSensitive { model: ID });
        }
        let protect = |&at: &usize| {
            let column = &table.attributes()[at];
            let name = column.name.clone();
            let count = column.dictionary.len();
            let Some(values) = &self.values else { return Ok(ProtectedAttribute { at, name, codes: None, count }) };
            let mut protected = vec![false; count];
            for value in values {
                let code = column.dictionary.code(value);
                let code = code.ok_or_else(|| ModelError::UnknownValue { column: column.name.clone() })?;
                protected[code as usize] = true;
            }
            Ok(ProtectedAttribute { at, name, codes: Some(protected), count })
        };
        let attributes = sensitive.iter().map(protect).collect::<Result<Vec<_>, ModelError>>()?;
        let counts_people = table.counts_people();
        Ok(Box::new(BoundAlpha { alpha: self.alpha, refined: self.refined, attributes, counts_people }))
    }
}

/// The rule for the attributes of one table.
struct BoundAlpha {
    alpha: Ratio,
    refined: bool,
    attributes: Vec<ProtectedAttribute>,
    counts_people: bool,
}

/// A sensitive attribute with its protected values.
struct ProtectedAttribute {
    /// Its position in the table.
    at: usize,
    name: String,
    /// For each code whether it is protected together with the others; every value separately when left out.
    codes: Option<Vec<bool>>,
    /// How many codes it has.
    count: usize,
}

impl ProtectedAttribute {
    /// The rows of the protected values together, or of the most frequent value.
    fn most(&self, class: &Members<'_>) -> u64 {
        match &self.codes {
            Some(protected) => class.size_with(self.at, |code| protected[code as usize]),
            None => class.most(self.at),
        }
    }
}

impl BoundAlpha {
    /// The most rows of one protected value (or of the set) that a class of `rows` rows may have.
    fn allowed(&self, rows: u64) -> u64 {
        if self.refined { self.alpha.ceiling_of(rows) } else { self.alpha.floor_of(rows) }
    }

    /// The fewest rows a class with this number of protected ones must have.
    fn needed(&self, protected: u64) -> u64 {
        match (protected, self.refined) {
            (0, _) => 0,
            // s ≤ ⌈α·m⌉ exactly when s − 1 < α·m.
            (_, true) => {
                let (above, below) = (u128::from(self.alpha.numerator()), u128::from(self.alpha.denominator()));
                to_u64(u128::from(protected - 1) * below / above + 1)
            }
            (_, false) => self.alpha.least_whole(protected).unwrap_or(u64::MAX),
        }
    }

    /// The largest number of protected rows over the attributes.
    fn worst(&self, class: &Members<'_>) -> u64 {
        self.attributes.iter().map(|attribute| attribute.most(class)).max().unwrap_or(0)
    }
}

impl BoundModel for BoundAlpha {
    fn gap(&self, class: &Members<'_>) -> u64 {
        self.needed(self.worst(class)).saturating_sub(class.size())
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        class.size().saturating_sub(self.needed(self.worst(class)))
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let rows = whole.size();
        let most =
            |attribute: &ProtectedAttribute| (attribute.most(whole), attribute.name.clone(), attribute.codes.is_some());
        let worst = self.attributes.iter().map(most).max_by_key(|(protected, ..)| *protected);
        let (protected, name, named) = worst.unwrap_or((0, String::new(), false));
        let percent = 100.0 * protected as f64 / rows.max(1) as f64;
        let who = if whole.counts_people() {
            let what = if named { "one of the protected values" } else { "the most frequent value" };
            format!("{} of {} people have {what} of “{name}”", thousands(protected), thousands(rows))
        } else if named {
            format!("the protected values of “{name}” have {} of {} rows", thousands(protected), thousands(rows))
        } else {
            let frequent = format!("the most frequent value of “{name}” has");
            format!("{frequent} {} of {} rows", thousands(protected), thousands(rows))
        };
        // Rounded up, so that the share shown is feasible.
        let least = (protected as f64 / rows.max(1) as f64 * 1e4).ceil() / 1e4;
        let fewer = if named { "or protect fewer values" } else { "or protect single values with their own α" };
        let alpha = self.alpha;
        let fact = match (whole.counts_people(), self.refined) {
            (true, _) => format!("{who} ({percent:.2} %), more than α = {alpha}, {AS_A_WHOLE}"),
            // Smaller classes may have a larger share, so the share of the whole does not decide alone.
            (false, true) => format!("{who} ({percent:.2} %), more than α = {alpha}, rounded up, of the whole table"),
            (false, false) => {
                format!(
                    "{who} ({percent:.2} %); in every release, some class has at least this share, which is above α = {alpha}"
                )
            }
        };
        Infeasible {
            model: ID,
            columns: vec![name],
            fact,
            remedy: format!("use an α of at least {least}, {fewer}, or allow suppression"),
        }
    }

    fn excess(&self, whole: &Members<'_>) -> Vec<ExcessRows> {
        let rows = whole.size();
        let mut excess = Vec::new();
        for &ProtectedAttribute { at, codes: ref protected, .. } in &self.attributes {
            let counts = whole.counts(at);
            let groups: Vec<Vec<(u32, u64)>> = match protected {
                Some(protected) => vec![counts.into_iter().filter(|&(code, _)| protected[code as usize]).collect()],
                None => counts.into_iter().map(|count| vec![count]).collect(),
            };
            let total = |group: &Vec<(u32, u64)>| group.iter().map(|&(_, rows)| rows).sum::<u64>();
            // Suppressing makes the whole smaller, so less is allowed; the fixed point is the fewest.
            let mut withheld = 0;
            loop {
                let allowed = self.allowed(rows - withheld);
                let next: u64 = groups.iter().map(|group| total(group).saturating_sub(allowed)).sum();
                if next <= withheld || next >= rows {
                    withheld = next.max(withheld);
                    break;
                }
                withheld = next;
            }
            let allowed = self.allowed(rows.saturating_sub(withheld));
            for group in &groups {
                let mut left = total(group).saturating_sub(allowed);
                for &(code, rows) in group {
                    let take = rows.min(left);
                    left -= take;
                    excess.extend((take > 0).then_some(ExcessRows { attribute: at, code, rows: take }));
                }
            }
        }
        excess
    }

    fn too_many(&self, whole: &Members<'_>) -> Vec<TooMany> {
        let allowed = self.allowed(whole.size());
        let of = |attribute: &ProtectedAttribute| match &attribute.codes {
            Some(protected) => {
                let codes = (0..).zip(protected).filter(|(_, is)| **is).map(|(code, _)| code).collect();
                let people = attribute.most(whole).saturating_sub(allowed);
                vec![TooMany { attribute: attribute.at, codes, people }]
            }
            None => TooMany::above(whole, attribute.at, allowed),
        };
        self.attributes.iter().flat_map(of).filter(|too_many| too_many.people > 0).collect()
    }

    fn share_limits(&self) -> Vec<ShareLimits> {
        // ⌈α·rows⌉ of few rows may be a much larger share.
        if self.refined || self.counts_people {
            return Vec::new();
        }
        let alpha = self.alpha.to_f64();
        let of = |attribute: &ProtectedAttribute| match &attribute.codes {
            Some(codes) => ShareLimits::of_set(attribute.at, codes, alpha),
            None => ShareLimits::of_codes(attribute.at, std::iter::repeat_n(alpha, attribute.count), false),
        };
        self.attributes.iter().map(of).collect()
    }

    fn bounded_share(&self) -> Option<BoundedShare<'_>> {
        match &self.attributes[..] {
            // Shares of people are no sums over rows, which is what solvers make of it.
            &[ProtectedAttribute { at, codes: Some(ref protected), .. }] if !self.counts_people => {
                Some(BoundedShare { attribute: at, protected, alpha: self.alpha, refined: self.refined })
            }
            _ => None,
        }
    }
}
