//! α-deassociation: in no class does a protected sensitive value have more than a share α of the rows.
//!
//! Together with k-anonymity it is the (α, k)-anonymity of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006:
//! for one value (Def. 4), with the ceiling (Def. 5), for several values taken together (sec. 6.1), for every value by
//! itself (Def. 10–12), and for several sensitive attributes (Def. 13–14).

use super::ModelEntry;
use crate::{
    BoundModel, BoundedShare, FrequencyTable, Infeasible, Members, Model, ModelError, Parameters, Ratio, thousands,
};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In no class does a protected sensitive value have more than a share α of the rows.",
    reference: "R. Wong, J. Li, A. Fu and K. Wang, (α, k)-anonymity, KDD 2006",
    example: || Parameters::default().with("alpha", "1/2"),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["alpha", "values", "rule"])?;
        let rule = parameters.word(ID, "rule", &["exact", "refined"], "`exact` or `refined`")?;
        Ok(Box::new(AlphaDeassociation {
            alpha: parameters.share(ID, "alpha")?,
            values: parameters.list(ID, "values")?,
            refined: rule == "refined",
        }))
    },
};

const ID: &str = "alpha-deassociation";

/// No protected value has more than a share α of the rows of any class; each named attribute by itself.
///
/// **The exact rule survives merging.** Let s₁ ≤ α·n₁ and s₂ ≤ α·n₂ be the rows of a protected value in two classes.
/// Then s₁ + s₂ ≤ α·(n₁ + n₂): the share of a union is at most the larger of both shares. It does not survive growth:
/// rows that join may all have the value.
///
/// **The refined rule does not survive merging.** Two classes of 2 rows with 1 each keep 1 ≤ ⌈0.1·2⌉, their union has
/// 2 > ⌈0.1·4⌉ = 1. Lemmas 2, 3 and 5 of the paper argue with the exact share. A pair may then be half protected at
/// α = 0.1, so the refined rule has to be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlphaDeassociation {
    /// The largest share.
    pub alpha: Ratio,
    /// The protected values, taken together; every value by itself when left out.
    pub values: Option<Vec<String>>,
    /// Whether ⌈α·rows⌉ are allowed instead of α·rows.
    pub refined: bool,
}

impl Model for AlphaDeassociation {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let share = 100.0 * self.alpha.to_f64();
        let what = match &self.values {
            None => "any sensitive value",
            Some(values) if values.len() == 1 => "the protected sensitive value",
            Some(_) => "the protected sensitive values",
        };
        let rounded = if self.refined { ", rounded up to whole rows" } else { "" };
        format!("Nobody can be tied to {what} with more than {share:.4}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
            + &format!(" % certainty by the class they are in{rounded}.")
    }

    fn survives_merging(&self) -> bool {
        !self.refined
    }

    fn survives_growth(&self) -> bool {
        false
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        if sensitive.is_empty() {
            return Err(ModelError::NoSensitive { model: ID });
        }
        let protect = |&attribute: &usize| {
            let column = &table.attributes()[attribute];
            let Some(values) = &self.values else { return Ok(None) };
            let mut protected = vec![false; column.dictionary.len()];
            for value in values {
                let code = column.dictionary.code(value);
                let code = code.ok_or_else(|| ModelError::UnknownValue { column: column.name.clone() })?;
                protected[code as usize] = true;
            }
            Ok(Some(protected))
        };
        let protected = sensitive.iter().map(protect).collect::<Result<Vec<_>, ModelError>>()?;
        let name = |&attribute: &usize| table.attributes()[attribute].name.clone();
        let attributes = sensitive.iter().zip(protected).map(|(at, protected)| (*at, name(at), protected)).collect();
        Ok(Box::new(Bound { alpha: self.alpha, refined: self.refined, attributes }))
    }
}

/// The rule for the attributes of one table: position, name, and the protected codes unless all are.
struct Bound {
    alpha: Ratio,
    refined: bool,
    attributes: Vec<(usize, String, Option<Vec<bool>>)>,
}

impl Bound {
    /// The most rows of one protected value (or of the set) that a class of so many rows may have.
    fn allowed(&self, rows: u64) -> u64 {
        if self.refined { self.alpha.ceiling_of(rows) } else { self.alpha.floor_of(rows) }
    }

    /// The fewest rows a class with so many protected ones must have.
    fn needed(&self, protected: u64) -> u64 {
        match (protected, self.refined) {
            (0, _) => 0,
            // s ≤ ⌈α·m⌉ exactly when s − 1 < α·m.
            (_, true) => {
                let (above, below) = (u128::from(self.alpha.numerator()), u128::from(self.alpha.denominator()));
                (u128::from(protected - 1) * below / above + 1) as u64
            }
            (_, false) => self.alpha.least_whole(protected).unwrap_or(u64::MAX),
        }
    }

    /// For one attribute, the rows of the set, or of the most frequent value.
    fn most(class: &Members<'_>, attribute: usize, protected: Option<&Vec<bool>>) -> u64 {
        match protected {
            Some(protected) => class.rows_with(attribute, |code| protected[code as usize]),
            None => class.counts(attribute).iter().map(|&(_, rows)| rows).max().unwrap_or(0),
        }
    }

    /// The largest number of protected rows over the attributes.
    fn worst(&self, class: &Members<'_>) -> u64 {
        let most = |(attribute, _, protected): &(usize, String, Option<Vec<bool>>)| {
            Self::most(class, *attribute, protected.as_ref())
        };
        self.attributes.iter().map(most).max().unwrap_or(0)
    }
}

impl BoundModel for Bound {
    fn gap(&self, class: &Members<'_>) -> u64 {
        self.needed(self.worst(class)).saturating_sub(class.rows())
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        class.rows().saturating_sub(self.needed(self.worst(class)))
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let rows = whole.rows();
        let most = |(at, name, protected): &(usize, String, Option<Vec<bool>>)| {
            (Self::most(whole, *at, protected.as_ref()), name.clone(), protected.is_some())
        };
        let worst = self.attributes.iter().map(most).max_by_key(|(protected, ..)| *protected);
        let (protected, name, named) = worst.unwrap_or((0, String::new(), false));
        let percent = 100.0 * protected as f64 / rows.max(1) as f64;
        let who = if named {
            format!("the protected values of “{name}” have {} of {} rows", thousands(protected), thousands(rows))
        } else {
            let frequent = format!("the most frequent value of “{name}” has");
            format!("{frequent} {} of {} rows", thousands(protected), thousands(rows))
        };
        // Rounded up, so that the share shown is feasible.
        let least = (protected as f64 / rows.max(1) as f64 * 1e4).ceil() / 1e4;
        let fewer = if named { "or protect fewer values" } else { "or protect single values with their own α" };
        Infeasible {
            model: ID,
            columns: vec![name],
            fact: format!(
                "{who} ({percent:.2} %), and some class always has at least that share, more than α = {}",
                self.alpha
            ),
            way_out: format!("take α of at least {least}, {fewer}, or let rows be withheld"),
        }
    }

    fn excess(&self, whole: &Members<'_>) -> Vec<(usize, u32, u64)> {
        let rows = whole.rows();
        let mut excess = Vec::new();
        for (attribute, _, protected) in &self.attributes {
            let counts = whole.counts(*attribute);
            let groups: Vec<Vec<(u32, u64)>> = match protected {
                Some(protected) => vec![counts.into_iter().filter(|&(code, _)| protected[code as usize]).collect()],
                None => counts.into_iter().map(|count| vec![count]).collect(),
            };
            let total = |group: &Vec<(u32, u64)>| group.iter().map(|&(_, rows)| rows).sum::<u64>();
            // Withholding makes the whole smaller, so less is allowed; the fixed point is the fewest.
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
                    excess.extend((take > 0).then_some((*attribute, code, take)));
                }
            }
        }
        excess
    }

    fn bounded_share(&self) -> Option<BoundedShare<'_>> {
        match &self.attributes[..] {
            [(attribute, _, Some(protected))] => {
                Some(BoundedShare { attribute: *attribute, protected, alpha: self.alpha, refined: self.refined })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::{Attribute, Dictionary, Role};

    /// A table of so many rows of each of three values of one sensitive attribute, each row a tuple of its own class.
    fn table(counts: &[(u32, u64)]) -> FrequencyTable {
        let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["a", "b", "c"]));
        let tuples = counts.iter().enumerate().map(|(at, &(code, rows))| ([at as u32 % 4, code], rows));
        FrequencyTable::from_tuples(vec![town, illness], tuples)
    }

    fn models() -> impl Strategy<Value = AlphaDeassociation> {
        let values = prop_oneof![Just(None), Just(Some(vec!["a".into()])), Just(Some(vec!["a".into(), "c".into()]))];
        (1u64..6, 0u64..6, values, any::<bool>()).prop_map(|(above, more, values, refined)| AlphaDeassociation {
            alpha: Ratio::new(above, above + more).unwrap(),
            values,
            refined,
        })
    }

    /// The definition, literally.
    fn by_the_book(model: &AlphaDeassociation, table: &FrequencyTable, members: &[(usize, u64)]) -> bool {
        let rows: u64 = members.iter().map(|member| member.1).sum();
        let of = |codes: &[u32]| -> u64 {
            members.iter().filter(|member| codes.contains(&table.code(member.0, 1))).map(|member| member.1).sum()
        };
        let sets: Vec<Vec<u32>> = match &model.values {
            None => vec![vec![0], vec![1], vec![2]],
            Some(values) => {
                vec![values.iter().map(|value| u32::from(value == "b") + 2 * u32::from(value == "c")).collect()]
            }
        };
        let alpha = (model.alpha.numerator(), model.alpha.denominator());
        sets.iter().all(|set| match model.refined {
            false => of(set) * alpha.1 <= alpha.0 * rows,
            true => of(set) <= (alpha.0 * rows).div_ceil(alpha.1),
        })
    }

    proptest! {
        #[test]
        fn a_class_is_judged_as_the_definition_says(counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models()) {
            let table = table(&counts);
            let bound = model.bind(&table, &[1]).unwrap();
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let class = Members::new(&table, &all);
            prop_assert_eq!(bound.holds(&class), by_the_book(&model, &table, &all));
            // As many rows as the gap says, of values that are not protected, are what is missing.
            let (gap, worst) = (bound.gap(&class), class.rows());
            if let Some(protected) = bound.bounded_share().map(|share| class.rows_with(1, |code| share.protected[code as usize])) {
                let holds = |rows: u64| match model.refined {
                    false => model.alpha.allows(protected, rows),
                    true => protected <= model.alpha.ceiling_of(rows),
                };
                prop_assert!(holds(worst + gap) && (gap == 0 || !holds(worst + gap - 1)));
            }
        }

        #[test]
        fn the_union_of_two_classes_that_keep_the_exact_rule_keeps_it(
            counts in prop::collection::vec((0u32..3, 1u64..5), 2..12), model in models(), side in any::<u32>(),
        ) {
            prop_assume!(!model.refined);
            prop_assert!(model.survives_merging());
            let table = table(&counts);
            let bound = model.bind(&table, &[1]).unwrap();
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let (a, b): (Vec<_>, Vec<_>) = all.iter().partition(|(tuple, _)| side >> tuple & 1 == 1);
            let holds = |members: &[(usize, u64)]| bound.holds(&Members::new(&table, members));
            prop_assert!(!(holds(&a) && holds(&b)) || holds(&all));
        }

        #[test]
        fn any_rows_that_may_be_spared_may_leave(
            counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models(), leave in prop::collection::vec(0u64..5, 9),
        ) {
            let table = table(&counts);
            let bound = model.bind(&table, &[1]).unwrap();
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let class = Members::new(&table, &all);
            prop_assume!(bound.holds(&class));
            let mut spare = bound.spare(&class);
            let rest: Vec<(usize, u64)> = all.iter().zip(leave).map(|(&(tuple, rows), leave)| {
                let gone = leave.min(rows).min(spare);
                spare -= gone;
                (tuple, rows - gone)
            }).filter(|member| member.1 > 0).collect();
            prop_assert!(bound.holds(&Members::new(&table, &rest)));
        }

        #[test]
        fn what_is_withheld_for_the_whole_to_conform_is_enough_and_one_row_less_is_not(
            counts in prop::collection::vec((0u32..3, 1u64..5), 1..9), model in models(),
        ) {
            let table = table(&counts);
            let bound = model.bind(&table, &[1]).unwrap();
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let excess = bound.excess(&Members::new(&table, &all));
            prop_assert_eq!(excess.is_empty(), bound.holds(&Members::new(&table, &all)));
            let without = |excess: &[(usize, u32, u64)]| {
                let mut rest = all.clone();
                for &(_, code, mut rows) in excess {
                    for member in rest.iter_mut().filter(|member| table.code(member.0, 1) == code) {
                        let take = rows.min(member.1);
                        (member.1, rows) = (member.1 - take, rows - take);
                    }
                }
                rest.retain(|member| member.1 > 0);
                bound.holds(&Members::new(&table, &rest))
            };
            prop_assert!(without(&excess));
            if let Some((first, rest)) = excess.split_first() {
                let less: Vec<_> = [(first.0, first.1, first.2 - 1)].into_iter().chain(rest.iter().copied()).collect();
                prop_assert!(!without(&less) || model.values.is_none());
            }
        }
    }

    #[test]
    fn the_refined_rule_does_not_survive_merging() {
        let table = table(&[(0, 1), (1, 1), (0, 1), (1, 1)]);
        let refined =
            AlphaDeassociation { alpha: Ratio::new(1, 10).unwrap(), values: Some(vec!["a".into()]), refined: true };
        let bound = refined.bind(&table, &[1]).unwrap();
        let holds = |members: &[(usize, u64)]| bound.holds(&Members::new(&table, members));
        assert!(holds(&[(0, 1), (1, 1)]) && holds(&[(2, 1), (3, 1)]));
        assert!(!holds(&[(0, 1), (1, 1), (2, 1), (3, 1)]) && !refined.survives_merging());
    }

    #[test]
    fn an_infeasible_share_is_told_with_the_one_that_would_do() {
        let table = table(&[(0, 3), (1, 1)]);
        let every = AlphaDeassociation { alpha: Ratio::new(1, 2).unwrap(), values: None, refined: false };
        let said = every.bind(&table, &[1]).unwrap().infeasible(&Members::whole(&table)).to_string();
        assert_eq!(
            said,
            "the most frequent value of “illness” has 3 of 4 rows (75.00 %), and some class always has at least that share, \
             more than α = 1/2; take α of at least 0.75, or protect single values with their own α, or let rows be withheld"
        );
    }

    #[test]
    fn a_protected_value_that_does_not_occur_is_refused_without_being_told() {
        let model =
            AlphaDeassociation { alpha: Ratio::new(1, 2).unwrap(), values: Some(vec!["HIV".into()]), refined: false };
        let refused = model.bind(&table(&[(0, 3)]), &[1]).err().unwrap().to_string();
        assert_eq!(refused, "a value that the policy protects does not occur in `illness`: check its spelling");
    }

    #[test]
    fn promises_are_sentences() {
        let model = AlphaDeassociation { alpha: "0.33".parse().unwrap(), values: None, refined: true };
        assert_eq!(
            model.promise(),
            "Nobody can be tied to any sensitive value with more than 33 % certainty by the class they are in, rounded up to whole rows."
        );
    }
}
