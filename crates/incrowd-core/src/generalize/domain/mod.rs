//! The values that one attribute of a release may take.
//!
//! A domain numbers its leaves so that the leaves below any node are contiguous. A *tree* and an *ordered* domain pack a
//! range of leaf codes into a [`Cell`]: a leaf, a node, an interval and `*` are the same thing. A tree closes a range to
//! the smallest node that holds it, an ordered domain to itself or to the smallest of its nested intervals. A *set*
//! domain packs a bit set and closes to itself. Algorithms only join and price cells.
//!
//! A node with a single child stands for the same leaves as its child, so both are one cell; it is shown under the lower
//! name.
//!
//! A set domain has at most 64 leaves, one bit for each. A missing value is a leaf of its own. In an ordered domain it
//! is in no interval, so the join of a missing value with any other value is `*`.
//!
//! `laws.rs` tests the same laws on all three kinds.

use crate::numbers::to_u32;

mod bind;
#[cfg(test)]
pub(crate) mod laws;
mod nodes;
mod ordered;
mod set;
mod tree;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::generalize::hierarchy::ROOT_LABEL;
use crate::{Cell, Dictionary, Hierarchy, HierarchyError};
use ordered::OrderedDomain;
use set::SetDomain;
use tree::TreeDomain;

/// How the leaves of a cell are counted: all that a measure needs when it prices a cell by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafCount {
    /// The cell is a range of leaf codes.
    Range,
    /// The cell is a bit set.
    Bits,
}

impl LeafCount {
    /// How many leaves a cell stands for.
    #[inline]
    pub fn leaves(self, cell: Cell) -> u32 {
        match self {
            LeafCount::Range => {
                let (lo, hi) = cell.ends();
                hi - lo + 1
            }
            LeafCount::Bits => cell.bits().count_ones(),
        }
    }
}

/// The generalized values of one attribute, and how they are joined, compared and shown.
///
/// ```
/// use incrowd_core::{Domain, Hierarchy};
/// let towns = Domain::tree(&Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n")?);
/// let [ulm, bonn, wien] = [0, 1, 2].map(|code| towns.leaf(code));
/// let germany = towns.join(ulm, bonn);
/// assert_eq!((towns.render(germany).as_ref(), towns.leaves(germany)), ("Germany", 2));
/// assert!(towns.contains(germany, bonn) && !towns.contains(germany, wien));
/// assert_eq!(towns.join(germany, wien), towns.top());
/// assert_eq!(towns.render(towns.top()), "*");
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain(DomainShape);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DomainShape {
    Tree(TreeDomain),
    Ordered(OrderedDomain),
    Set(SetDomain),
}

impl Domain {
    /// The nodes of a hierarchy. Leaf codes are the hierarchy's.
    pub fn tree(hierarchy: &Hierarchy) -> Self {
        Domain(DomainShape::Tree(TreeDomain::new(hierarchy)))
    }

    /// The nodes of a hierarchy for one column, with a leaf for its missing value, and the leaf of each code.
    pub fn for_column(hierarchy: &Hierarchy, dictionary: &Dictionary) -> Result<(Self, Vec<u32>), HierarchyError> {
        let domain = match dictionary.missing() {
            Some(_) if hierarchy.missing().is_none() => Self::tree(&hierarchy.clone().with_missing()),
            _ => Self::tree(hierarchy),
        };
        let leaves = domain.bind(dictionary)?;
        Ok((domain, leaves))
    }

    /// Every interval of a column's values, in their order. Leaf codes are the dictionary's codes.
    ///
    /// A missing value is in no interval: joined with any value it gives `*`.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Domain, Values};
    /// let ages = Domain::ordered(&Dictionary::new(Values::Integers(vec![25, 36, 39, 60]), true));
    /// let class = ages.join(ages.leaf(0), ages.leaf(2));
    /// assert_eq!(ages.render(class), "[25, 39]");
    /// assert_eq!(ages.join(class, ages.leaf(4)), ages.top());
    /// ```
    pub fn ordered(dictionary: &Dictionary) -> Self {
        Domain(DomainShape::Ordered(OrderedDomain::new(dictionary)))
    }

    /// The intervals of a column's values that are nodes of a hierarchy. Leaf codes are the dictionary's codes, so
    /// leaves of the hierarchy that never occur do not count.
    ///
    /// Refused when a value has no leaf, or a node is not an interval of the column's values.
    pub fn nested(dictionary: &Dictionary, hierarchy: &Hierarchy) -> Result<Self, HierarchyError> {
        Ok(Domain(DomainShape::Ordered(OrderedDomain::nested(dictionary, hierarchy)?)))
    }

    /// Every set of the given leaves, at most 64 of them. The missing value has the empty label.
    ///
    /// ```
    /// use incrowd_core::Domain;
    /// let sexes = Domain::set(["f", "m", "x"])?;
    /// assert_eq!(sexes.render(sexes.join(sexes.leaf(0), sexes.leaf(2))), "{f, x}");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn set<S: Into<Box<str>>>(labels: impl IntoIterator<Item = S>) -> Result<Self, HierarchyError> {
        Ok(Domain(DomainShape::Set(SetDomain::new(labels.into_iter().map(Into::into).collect())?)))
    }

    /// Every set of a column's values, at most 64 of them. Leaf codes are the dictionary's codes.
    pub fn sets_of(dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        let labels = (0..to_u32(dictionary.len())).map(|code| match dictionary.missing() {
            Some(missing) if missing == code => String::new(),
            _ => dictionary.label(code).into_owned(),
        });
        Self::set(labels)
    }

    /// The smallest cell that holds both.
    #[inline]
    pub fn join(&self, a: Cell, b: Cell) -> Cell {
        match &self.0 {
            DomainShape::Tree(tree) => {
                let (lo, hi) = hull(a, b);
                tree.close(lo, hi)
            }
            DomainShape::Ordered(ordered) => {
                let (lo, hi) = hull(a, b);
                ordered.close(lo, hi)
            }
            DomainShape::Set(_) => Cell::from_bits(a.bits() | b.bits()),
        }
    }

    /// Whether every leaf of `inner` is one of `outer`.
    #[inline]
    pub fn contains(&self, outer: Cell, inner: Cell) -> bool {
        match &self.0 {
            DomainShape::Set(_) => inner.bits() & !outer.bits() == 0,
            DomainShape::Tree(_) | DomainShape::Ordered(_) => hull(outer, inner) == outer.ends(),
        }
    }

    /// How many leaves a cell stands for.
    #[inline]
    pub fn leaves(&self, cell: Cell) -> u32 {
        self.counting().leaves(cell)
    }

    /// The codes of the leaves of a cell, in ranges that ascend, both ends included.
    pub fn leaf_ranges(&self, cell: Cell) -> impl Iterator<Item = (u32, u32)> + use<> {
        let (range, bits) = match self.0 {
            DomainShape::Tree(_) | DomainShape::Ordered(_) => (Some(cell.ends()), 0),
            DomainShape::Set(_) => (None, cell.bits()),
        };
        range.into_iter().chain((0..u64::BITS).filter(move |bit| bits >> bit & 1 == 1).map(|bit| (bit, bit)))
    }

    /// The smallest cell that holds the leaves `lo..=hi`.
    ///
    /// # Panics
    /// If these are not leaves in order.
    pub fn span(&self, lo: u32, hi: u32) -> Cell {
        assert!(lo <= hi && hi < self.leaf_count(), "leaves in order, of {} leaves", self.leaf_count());
        match &self.0 {
            DomainShape::Tree(tree) => tree.close(lo, hi),
            DomainShape::Ordered(ordered) => ordered.close(lo, hi),
            DomainShape::Set(_) => Cell::from_bits((u64::MAX >> (63 - hi)) & (u64::MAX << lo)),
        }
    }

    /// The cell of a leaf.
    ///
    /// # Panics
    /// If there is no such leaf.
    pub fn leaf(&self, code: u32) -> Cell {
        self.span(code, code)
    }

    /// The cell of all leaves, `*`.
    ///
    /// # Panics
    /// If the domain has no leaf.
    pub fn top(&self) -> Cell {
        assert!(self.leaf_count() > 0, "a domain without leaves has no cell");
        self.span(0, self.leaf_count() - 1)
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> u32 {
        match &self.0 {
            DomainShape::Tree(tree) => tree.leaf_count(),
            DomainShape::Ordered(ordered) => ordered.leaf_count(),
            DomainShape::Set(set) => set.leaf_count(),
        }
    }

    /// How the leaves of this domain's cells are counted.
    pub fn counting(&self) -> LeafCount {
        match self.0 {
            DomainShape::Tree(_) | DomainShape::Ordered(_) => LeafCount::Range,
            DomainShape::Set(_) => LeafCount::Bits,
        }
    }

    /// How many steps of full-domain generalization lead from a leaf to `*`: the height of the hierarchy; 1 for
    /// intervals without nesting and for sets.
    pub fn height(&self) -> usize {
        match &self.0 {
            DomainShape::Tree(tree) => tree.levels.height(),
            DomainShape::Ordered(OrderedDomain { levels: Some(levels), .. }) => levels.height(),
            DomainShape::Ordered(_) | DomainShape::Set(_) => 1,
        }
    }

    /// Whether there are levels between the leaves and `*`: a hierarchy, and not free intervals or sets.
    pub fn has_levels(&self) -> bool {
        matches!(self.0, DomainShape::Tree(_) | DomainShape::Ordered(OrderedDomain { levels: Some(_), .. }))
    }

    /// What full-domain generalization to a level makes of a leaf; level 0 is the leaf itself.
    ///
    /// # Panics
    /// If there is no such leaf or level.
    pub fn at_level(&self, leaf: u32, level: usize) -> Cell {
        match &self.0 {
            DomainShape::Tree(tree) => tree.levels.at(leaf, level),
            DomainShape::Ordered(OrderedDomain { levels: Some(levels), .. }) => levels.at(leaf, level),
            DomainShape::Ordered(_) | DomainShape::Set(_) if level == 0 => self.leaf(leaf),
            DomainShape::Ordered(_) | DomainShape::Set(_) => {
                assert!(level == 1, "level {level} of a domain of height 1");
                self.top()
            }
        }
    }

    /// The cell as it is shown in a release: the label of a leaf or node, `[25, 39]`, `{f, x}`, or `*` for all leaves
    /// of a domain that has several, unless a node below the root holds them all: then its label says more. The missing
    /// value is shown as [`MISSING_LABEL`](crate::MISSING_LABEL).
    pub fn render(&self, cell: Cell) -> Cow<'_, str> {
        if self.leaf_count() > 1 && cell == self.top() && !self.top_has_a_name() {
            return Cow::Borrowed(ROOT_LABEL);
        }
        match &self.0 {
            DomainShape::Tree(tree) => tree.render(cell),
            DomainShape::Ordered(ordered) => ordered.render(cell),
            DomainShape::Set(set) => set.render(cell),
        }
    }
}

impl Domain {
    /// Whether a node below the root holds all leaves, too.
    fn top_has_a_name(&self) -> bool {
        match &self.0 {
            DomainShape::Tree(tree) => tree.top_has_a_name(),
            DomainShape::Ordered(ordered) => ordered.top_has_a_name(),
            DomainShape::Set(_) => false,
        }
    }
}

/// The ends of the range that holds both ranges.
#[inline]
fn hull(a: Cell, b: Cell) -> (u32, u32) {
    let ((a_lo, a_hi), (b_lo, b_hi)) = (a.ends(), b.ends());
    (a_lo.min(b_lo), a_hi.max(b_hi))
}

/// The label of a leaf as it is shown; the missing value's own label is empty.
fn shown(label: &str) -> &str {
    if label.is_empty() { crate::MISSING_LABEL } else { label }
}
