//! A quasi-identifier of a table, bound to the values it may be published as.

use serde::{Deserialize, Serialize};

use crate::numbers::to_u32;
use crate::{Cell, Dictionary, Domain, Hierarchy, HierarchyError, Kind, MISSING_LABEL, ROOT_LABEL};

/// A column of a frequency table with its domain.
///
/// ```
/// use incrowd_core::{Dictionary, Hierarchy, QuasiIdentifier};
/// let towns = Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n")?;
/// let town = QuasiIdentifier::new(0, &towns, &Dictionary::of_texts(["Bonn", "Wien"]))?;
/// assert_eq!(town.domain.render(town.cell(0, 1)), "Germany");
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuasiIdentifier {
    /// The position of the column in the table.
    pub column: usize,
    /// The values it may be published as.
    pub domain: Domain,
    /// The leaf of each of the column's codes.
    pub leaves: Vec<u32>,
}

impl QuasiIdentifier {
    /// A column that is generalized along a hierarchy, with a leaf for its missing value.
    pub fn new(column: usize, hierarchy: &Hierarchy, dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        let (domain, leaves) = Domain::for_column(hierarchy, dictionary)?;
        Ok(QuasiIdentifier { column, domain, leaves })
    }

    /// A column that is published as sets of its values, such as `{f, x}`: at most 64 values, without a hierarchy.
    ///
    /// Refused when a value is written like a set or a part of one: the published sets could not be read.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, QuasiIdentifier};
    /// let sex = QuasiIdentifier::sets(0, &Dictionary::of_texts(["f", "m", "x"]))?;
    /// assert_eq!(sex.domain.render(sex.domain.join(sex.cell(0, 0), sex.cell(2, 0))), "{f, x}");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn sets(column: usize, dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        let present = (0..to_u32(dictionary.len())).filter(|&code| Some(code) != dictionary.missing());
        let unreadable = |label: &str| {
            let reserved = label.is_empty() || label == MISSING_LABEL || label == ROOT_LABEL;
            reserved || label.contains(", ") || label.contains(['{', '}'])
        };
        let values = present.filter(|&code| unreadable(&dictionary.label(code))).count();
        if values > 0 {
            return Err(HierarchyError::UnreadableSets { values });
        }
        Ok(Self::by_code(column, Domain::sets_of(dictionary)?))
    }

    /// A column of numbers or days that is published as intervals from the least to the greatest of its values in a
    /// class, such as `[25, 39]`, without a hierarchy.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, QuasiIdentifier, Values};
    /// let age = QuasiIdentifier::intervals(0, &Dictionary::new(Values::Integers(vec![25, 36, 39, 60]), false))?;
    /// assert_eq!(age.domain.render(age.domain.join(age.cell(0, 0), age.cell(2, 0))), "[25, 39]");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn intervals(column: usize, dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        match dictionary.kind() {
            Kind::Text => Err(HierarchyError::WrongKind { wanted: "free intervals", kind: Kind::Text.name() }),
            _ if dictionary.is_empty() => Err(HierarchyError::NoValues),
            _ => Ok(Self::by_code(column, Domain::ordered(dictionary))),
        }
    }

    /// A domain whose leaf codes are the column's codes.
    fn by_code(column: usize, domain: Domain) -> Self {
        QuasiIdentifier { column, leaves: (0..domain.leaf_count()).collect(), domain }
    }

    /// The cell of a code on a level of full-domain generalization; level 0 is the value itself.
    pub fn cell(&self, code: u32, level: usize) -> Cell {
        self.domain.at_level(self.leaves[code as usize], level)
    }

    /// How many steps of generalization there are.
    pub fn height(&self) -> usize {
        self.domain.height()
    }

    /// For each code, the smallest code that a level publishes alike: the codes of the column recoded to a level.
    pub fn codes_at(&self, level: usize) -> Vec<u32> {
        let mut cells: Vec<(u64, u32)> =
            (0..to_u32(self.leaves.len())).map(|code| (self.cell(code, level).bits(), code)).collect();
        cells.sort_unstable();
        let mut codes = vec![0; self.leaves.len()];
        for alike in cells.chunk_by(|a, b| a.0 == b.0) {
            alike.iter().for_each(|&(_, code)| codes[code as usize] = alike[0].1);
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Values;

    #[test]
    fn sets_and_intervals_are_joined_by_code_and_raised_to_everything() {
        let sexes = Dictionary::new(Values::Texts(vec!["f".into(), "m".into(), "x".into()]), true);
        let sex = QuasiIdentifier::sets(3, &sexes).unwrap();
        let shown = |quasi: &QuasiIdentifier, codes: &[u32]| {
            let cells = codes.iter().map(|&code| quasi.cell(code, 0));
            let joined = cells.reduce(|a, b| quasi.domain.join(a, b)).unwrap();
            quasi.domain.render(joined).into_owned()
        };
        assert_eq!((sex.column, sex.height(), sex.codes_at(1)), (3, 1, vec![0; 4]));
        assert_eq!([shown(&sex, &[1]), shown(&sex, &[2, 0]), shown(&sex, &[3, 1])], ["m", "{f, x}", "{m, (missing)}"]);
        assert_eq!(shown(&sex, &[0, 1, 2, 3]), "*");
        let ages = Dictionary::new(Values::Integers(vec![25, 36, 39, 60]), true);
        let age = QuasiIdentifier::intervals(0, &ages).unwrap();
        assert_eq!([shown(&age, &[2, 0]), shown(&age, &[0, 3]), shown(&age, &[1, 4])], ["[25, 39]", "[25, 60]", "*"]);
    }

    #[test]
    fn what_cannot_be_a_set_or_an_interval_is_refused_without_a_value() {
        let many: Vec<String> = (0..65).map(|value| format!("secret {value}")).collect();
        let refused = |texts: &[&str]| QuasiIdentifier::sets(0, &Dictionary::of_texts(texts.iter().copied()));
        let texts: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(refused(&texts), Err(HierarchyError::TooManyForSets { leaves: 65 }));
        let error = refused(&["Ulm", "secret, Wien", "{secret}", "(missing)", "", "*"]).unwrap_err();
        assert_eq!(error, HierarchyError::UnreadableSets { values: 5 });
        assert!(!error.to_string().contains("secret"));
        let texts = QuasiIdentifier::intervals(0, &Dictionary::of_texts(["a", "b"]));
        assert_eq!(texts, Err(HierarchyError::WrongKind { wanted: "free intervals", kind: "text" }));
    }
}
