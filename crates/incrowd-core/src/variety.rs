//! What the models have in common that count the different values of a class: distinct ℓ-diversity and p-sensitivity,
//! plain and extended.

use crate::sensitive::Sensitive;
use crate::{BoundModel, Infeasible, Members, counted, thousands};

/// At least so many different things among the values of each attribute.
pub(crate) struct Variety {
    /// The model's id.
    pub(crate) model: &'static str,
    /// What its parameter is called.
    pub(crate) letter: &'static str,
    /// The fewest different things a class may have.
    pub(crate) least: u64,
    pub(crate) attributes: Vec<Varied>,
}

/// An attribute whose values are told apart.
pub(crate) struct Varied {
    pub(crate) attribute: Sensitive,
    /// For each code the number of the thing it counts as; every value is one of its own when left out.
    pub(crate) of: Option<Vec<u32>>,
}

impl Varied {
    fn thing(&self, code: u32) -> u32 {
        self.of.as_ref().map_or(code, |of| of[code as usize])
    }

    fn distinct(&self, class: &Members<'_>) -> u64 {
        class.distinct(self.attribute.at, self.attribute.codes, |code| self.thing(code))
    }

    /// The rows of each thing, the fewest first.
    fn ascending(&self, class: &Members<'_>) -> Vec<u64> {
        let mut rows = vec![0; self.attribute.codes];
        class.tally(self.attribute.at, |code, more| rows[self.thing(code) as usize] += more);
        rows.retain(|&rows| rows > 0);
        rows.sort_unstable();
        rows
    }
}

impl BoundModel for Variety {
    /// A row that joins brings at most one thing that is new.
    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |varied: &Varied| self.least.saturating_sub(varied.distinct(class));
        self.attributes.iter().map(lacks).max().unwrap_or(0)
    }

    /// With d things, the rule breaks when all rows of d − least + 1 of them leave. The fewest rows that do so are those of
    /// the rarest things, and one row less can be spared whichever they are.
    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |varied: &Varied| {
            let rows = varied.ascending(class);
            match (rows.len() as u64).checked_sub(self.least) {
                Some(more) => rows.iter().take(more as usize + 1).sum::<u64>().saturating_sub(1),
                None => 0,
            }
        };
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let worst = self.attributes.iter().map(|varied| (varied.distinct(whole), varied)).min_by_key(|worst| worst.0);
        let (found, name, grouped) = match worst {
            Some((found, varied)) => (found, varied.attribute.name.clone(), varied.of.is_some()),
            None => (0, String::new(), false),
        };
        let things = if grouped { ("group of values", "groups of values") } else { ("value", "different values") };
        let (letter, least) = (self.letter, thousands(self.least));
        Infeasible {
            model: self.model,
            columns: vec![name.clone()],
            fact: format!("“{name}” has {}, fewer than {letter} = {least}", counted(found, things.0, things.1)),
            way_out: format!("take {letter} of at most {}", thousands(found.max(1))),
        }
    }

    /// Withholding rows brings no value.
    fn excess(&self, _: &Members<'_>) -> Vec<(usize, u32, u64)> {
        Vec::new()
    }
}
