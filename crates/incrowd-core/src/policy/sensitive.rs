//! The sensitive attributes that a model is for, and how often each value occurs in the whole that classes are compared
//! with.

use super::{ExcessRows, ModelError, TooMany};
use crate::numbers::Fraction;
use crate::{FrequencyTable, Members};

/// Why a table of people cannot keep a model that it does not keep as one class: half a sentence.
pub(crate) const AS_A_WHOLE: &str = "and the model must also hold for the release as a whole";

impl TooMany {
    /// Each value of an attribute that more people of a class have than are allowed.
    pub(crate) fn above(class: &Members<'_>, attribute: usize, allowed: u64) -> Vec<TooMany> {
        let over = |(code, people): (u32, u64)| TooMany { attribute, codes: vec![code], people: people - allowed };
        class.counts(attribute).into_iter().filter(|count| count.1 > allowed).map(over).collect()
    }
}

/// A sensitive attribute that a model is for.
#[derive(Clone, Debug)]
pub(crate) struct Sensitive {
    /// Its position in the table.
    pub(crate) at: usize,
    pub(crate) name: String,
    /// How many codes it has.
    pub(crate) codes: usize,
}

impl Sensitive {
    /// The attributes at these positions; refused when there is none.
    pub(crate) fn of(
        model: &'static str,
        table: &FrequencyTable,
        positions: &[usize],
    ) -> Result<Vec<Sensitive>, ModelError> {
        if positions.is_empty() {
            return Err(ModelError::NoSensitive { model });
        }
        let attribute = |&at: &usize| {
            let attribute = &table.attributes()[at];
            Sensitive { at, name: attribute.name.clone(), codes: attribute.dictionary.len() }
        };
        Ok(positions.iter().map(attribute).collect())
    }

    /// The same for a model that is about one value for each person; refused when people are counted and some have several
    /// values.
    pub(crate) fn one_each(
        model: &'static str,
        table: &FrequencyTable,
        positions: &[usize],
    ) -> Result<Vec<Sensitive>, ModelError> {
        let attributes = Sensitive::of(model, table, positions)?;
        attributes.iter().try_for_each(|attribute| attribute.refuse_several(model, table, |code| code))?;
        Ok(attributes)
    }

    /// Refuses people with several things, where `of` says what a code is.
    pub(crate) fn refuse_several(
        &self,
        model: &'static str,
        table: &FrequencyTable,
        of: impl Fn(u32) -> u32,
    ) -> Result<(), ModelError> {
        match several(&Members::whole(table), self.at, of) {
            0 => Ok(()),
            people => Err(ModelError::SeveralValues { model, column: self.name.clone(), people }),
        }
    }

    /// The code of a value by its text; the missing value has none.
    pub(crate) fn code(&self, table: &FrequencyTable, value: &str) -> Option<u32> {
        let dictionary = &table.attributes()[self.at].dictionary;
        dictionary.code(value).filter(|&code| Some(code) != dictionary.missing())
    }

    /// The fewest rows of its most frequent values to suppress so that the rest holds: see [`fewest_above`].
    pub(crate) fn excess(&self, whole: &Members<'_>, holds: impl Fn(&[u64]) -> bool) -> Vec<ExcessRows> {
        let withheld = fewest_above(&whole.counts(self.at), holds).into_iter();
        withheld.map(|(code, rows)| ExcessRows { attribute: self.at, code, rows }).collect()
    }

    /// How often each of its values occurs in the whole. A person who is in several parts is one person.
    pub(crate) fn whole(&self, whole: &[Members<'_>]) -> Whole {
        let mut rows = vec![0; self.codes];
        if let [first, _, ..] = whole
            && first.counts_people()
        {
            let entries = Members::united(whole);
            return self.whole(&[first.with_entries(&entries)]);
        }
        for part in whole {
            part.tally(self.at, |code, more| rows[code as usize] += more);
        }
        Whole { total: rows.iter().sum(), rows }
    }
}

/// How many people have several of the things that `of` makes of codes; 0 when people are not counted.
pub(crate) fn several(class: &Members<'_>, attribute: usize, of: impl Fn(u32) -> u32) -> u64 {
    let mut people: Vec<u64> = class.people_by(attribute, of).into_iter().map(|(_, person)| person).collect();
    people.sort_unstable();
    people.chunk_by(|one, other| one == other).filter(|things| things.len() > 1).count() as u64
}

/// How often each value of an attribute occurs in the whole that classes are compared with: in the rows that are
/// published, or among the people whose rows these are.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    /// The rows (or people) of each code.
    pub(crate) rows: Vec<u64>,
    /// All of them. Each person has one value, so they add up to the people.
    pub(crate) total: u64,
}

impl Whole {
    /// How many distinct values occur.
    pub(crate) fn values(&self) -> u64 {
        self.occurring().count() as u64
    }

    /// The share of a value in a class, with `own` of its `rows`, divided by its share in the whole.
    pub(crate) fn ratio(&self, code: u32, own: u64, rows: u64) -> Fraction {
        let all = self.rows[code as usize];
        Fraction { above: u128::from(own) * u128::from(self.total), below: u128::from(all) * u128::from(rows) }
    }

    /// The codes that occur, with their rows.
    pub(crate) fn occurring(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.rows.iter().copied().enumerate().filter(|&(_, rows)| rows > 0)
    }
}

/// The fewest rows to suppress of the most frequent values so that the rest holds: (code, rows) each; none when it does
/// already or never will.
///
/// `holds` is asked of the rows of each value. It has to like even rows better: when the rows of the most frequent values
/// are cut to one height, lower heights have to hold if higher ones do. Then rows above the largest height that holds are
/// what is suppressed, but for single ones that can stay.
fn fewest_above(counts: &[(u32, u64)], holds: impl Fn(&[u64]) -> bool) -> Vec<(u32, u64)> {
    let highest = counts.iter().map(|count| count.1).max().unwrap_or(0);
    let cut = |height: u64| counts.iter().map(|count| count.1.min(height)).collect::<Vec<u64>>();
    if highest == 0 || holds(&cut(highest)) || !holds(&cut(1)) {
        return Vec::new();
    }
    let (mut yes, mut no) = (1, highest);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(&cut(middle)) { yes = middle } else { no = middle }
    }
    let mut rest = cut(yes);
    // An entropy falls and then rises with the number of these single rows, and with all of them it does not hold. So after
    // the first row that cannot stay, none can.
    for (at, count) in counts.iter().enumerate().filter(|(_, count)| count.1 > yes) {
        rest[at] += 1;
        if !holds(&rest) {
            rest[at] -= 1;
            break;
        }
        debug_assert!(rest[at] <= count.1, "no row is added");
    }
    let withheld = counts.iter().zip(rest).map(|(&(code, rows), rest)| (code, rows - rest));
    withheld.filter(|withheld| withheld.1 > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::model_laws::Numbers;

    /// Whether the rows of each value are even enough.
    type EvennessBound = Box<dyn Fn(&[u64]) -> bool>;

    fn largest(rows: &[u64]) -> u64 {
        rows.iter().copied().max().unwrap_or(0)
    }

    /// Bounds that prefer even rows: on the share of the most frequent value, on its rows beside the others, and on the
    /// effective number of values, to which no number is so near that rounding decides.
    fn bounds(parameter: u64) -> Vec<(&'static str, EvennessBound)> {
        let share = move |rows: &[u64]| largest(rows) * 20 <= parameter * rows.iter().sum::<u64>();
        let beside = move |rows: &[u64]| largest(rows) * 8 < parameter * (rows.iter().sum::<u64>() - largest(rows));
        let entropy = move |rows: &[u64]| {
            let total = rows.iter().sum::<u64>() as f64;
            let shares = rows.iter().map(|&rows| rows as f64 / total).filter(|&share| share > 0.0);
            shares.map(|share| -share * share.ln()).sum::<f64>().exp() > 0.2 * parameter as f64 + 0.012_345_678
        };
        vec![("share", Box::new(share)), ("beside the others", Box::new(beside)), ("entropy", Box::new(entropy))]
    }

    /// All rows that can be left of these.
    fn parts(rows: &[u64]) -> Vec<Vec<u64>> {
        let mut parts: Vec<Vec<u64>> = vec![Vec::new()];
        for &most in rows {
            parts = parts.iter().flat_map(|part| (0..=most).map(|own| [&part[..], &[own]].concat())).collect();
        }
        parts.into_iter().filter(|part| largest(part) > 0).collect()
    }

    #[test]
    fn the_rows_to_suppress_are_the_fewest_with_which_the_rest_holds() {
        let (mut numbers, mut suppressed) = (Numbers(67), [0, 0]);
        for _ in 0..250 {
            let counts = [7, 8, 9, 10].map(|code: u32| (code, numbers.below(8)));
            let counts: Vec<(u32, u64)> = counts.into_iter().filter(|count| count.1 > 0).collect();
            let rows: Vec<u64> = counts.iter().map(|count| count.1).collect();
            let parts = parts(&rows);
            for (name, holds) in (1..20).flat_map(bounds) {
                let withheld = fewest_above(&counts, &holds);
                let most = parts.iter().filter(|part| holds(part)).map(|part| part.iter().sum::<u64>()).max();
                let fewest = most.map_or(0, |most| rows.iter().sum::<u64>() - most);
                assert_eq!(withheld.iter().map(|one| one.1).sum::<u64>(), fewest, "{name} {counts:?}: {withheld:?}");
                assert!(withheld.iter().all(|one| one.1 > 0), "{name} {counts:?}: {withheld:?}");
                let of = |code: u32| withheld.iter().filter(|one| one.0 == code).map(|one| one.1).sum::<u64>();
                let left: Vec<u64> = counts.iter().map(|&(code, rows)| rows - of(code)).collect();
                assert!(most.is_none() || holds(&left), "{name} {counts:?}: {withheld:?}");
                // Single rows above one height can stay with an entropy: values that lose rows then keep different numbers.
                let height = largest(&left);
                let uneven = left.iter().zip(&rows).any(|(left, rows)| left < rows && *left < height);
                suppressed[usize::from(uneven)] += usize::from(fewest > 0);
            }
        }
        assert!(suppressed.iter().all(|&cases| cases > 20), "{suppressed:?}");
    }
}
