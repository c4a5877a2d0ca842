//! How many rows of a class may belong to each child of its node in a minimal release.

use super::NodeChild;

/// How many rows of a class may belong to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChildBounds {
    pub(super) least: u64,
    pub(super) most: u64,
}

/// How many rows of a class may belong to each child in a minimal release; nothing when no minimal release has such a
/// class, or when the class has fewer than k rows, of which nothing is known.
pub(super) fn bounds(rows: u64, k: u64, children: &[NodeChild]) -> Option<Vec<ChildBounds>> {
    let k = k.max(1);
    if rows < k {
        return None;
    }
    let free = children.iter().filter(|child| !child.taken).count() as u64;
    let taken = children.len() as u64 - free;
    let none = ChildBounds { least: 0, most: 0 };
    let of = |free: ChildBounds, taken: ChildBounds| {
        Some(children.iter().map(|child| if child.taken { taken } else { free }).collect())
    };
    if rows >= 2 * k {
        // The others can take k − 1 each.
        let rest = free.checked_sub(1)? * (k - 1);
        let least = rows.saturating_sub(rest);
        return if least < k { of(ChildBounds { least, most: k - 1 }, none) } else { None };
    }
    if rows > k {
        // Not all below one child.
        let least = u64::from(free == 2);
        return if free >= 2 { of(ChildBounds { least, most: rows - 1 }, none) } else { None };
    }
    // Not all below one child, and one at least below a child that is not taken.
    let most = rows.saturating_sub(1);
    match (free, taken) {
        _ if rows < 2 => None,
        (0, _) | (_, 0) if free < 2 => None,
        (1, 1) | (2, 0) => of(ChildBounds { least: 1, most }, ChildBounds { least: 1, most }),
        (1, _) => of(ChildBounds { least: 1, most }, ChildBounds { least: 0, most }),
        _ => of(ChildBounds { least: 0, most }, ChildBounds { least: 0, most }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(taken: &[bool]) -> Vec<NodeChild> {
        taken.iter().map(|&taken| NodeChild { taken, truth: 0 }).collect()
    }

    /// All ways to write a number as a sum of this many parts.
    fn sums(total: u64, parts: usize) -> Vec<Vec<u64>> {
        match parts {
            0 => (total == 0).then(Vec::new).into_iter().collect(),
            _ => (0..=total)
                .flat_map(|first| {
                    sums(total - first, parts - 1).into_iter().map(move |rest| [vec![first], rest].concat())
                })
                .collect(),
        }
    }

    /// Whether some rows can go to their children, as the definition says it.
    fn can_be_refined(spread: &[u64], k: u64, children: &[NodeChild]) -> bool {
        let rows: u64 = spread.iter().sum();
        (1..=rows).flat_map(|gone| sums(gone, spread.len())).any(|gone| {
            let stay = rows - gone.iter().sum::<u64>();
            let each = |((&gone, &own), child): ((&u64, &u64), &NodeChild)| {
                gone <= own && (gone == 0 || gone >= k || child.taken)
            };
            (stay == 0 || stay >= k) && gone.iter().zip(spread).zip(children).all(each)
        })
    }

    #[test]
    fn the_bounds_are_those_of_all_spreads_that_cannot_be_refined() {
        for (parts, k) in (1..=4).flat_map(|parts| (1..=3).map(move |k| (parts, k))) {
            for (rows, taken) in (k..=3 * k + 1).flat_map(|rows| (0..1 << parts).map(move |taken| (rows, taken))) {
                let children = children(&(0..parts).map(|at| taken >> at & 1 == 1).collect::<Vec<_>>());
                let possible: Vec<Vec<u64>> = sums(rows, parts as usize)
                    .into_iter()
                    .filter(|spread| !can_be_refined(spread, k, &children))
                    .collect();
                let bound = |at: usize| {
                    let of = || possible.iter().map(|spread| spread[at]);
                    Some(ChildBounds { least: of().min()?, most: of().max()? })
                };
                let expected: Option<Vec<ChildBounds>> = (0..parts as usize).map(bound).collect();
                assert_eq!(bounds(rows, k, &children), expected, "{rows} rows, k = {k}, {children:?}");
            }
        }
    }
}
