//! The largest assignment of original rows to published rows, by augmenting paths.
//!
//! Tuples with the fewest candidates are served first, each from the published tuple that fewest others fit. What is
//! still unmet is met by shortest augmenting paths, all of one length at a time (Hopcroft and Karp, Dinic): a published
//! tuple takes a row that another one has, if that one finds a row elsewhere.

use crate::count::number;

const UNSEEN: u32 = u32::MAX;

/// How many published rows stay without an original row in the best assignment. `candidates` lists, for each original
/// tuple, the published tuples it fits; `spare` and `need` are the rows of original and of published tuples.
pub(crate) fn unmet(candidates: &[Vec<u32>], spare: Vec<u64>, need: Vec<u64>) -> u64 {
    let mut flow = Flow::new(candidates, spare, need);
    flow.serve_greedily(candidates);
    flow.serve_by_paths();
    flow.unmet()
}

struct Flow {
    /// Rows that each original tuple has left.
    spare: Vec<u64>,
    /// Rows that each published tuple still needs.
    need: Vec<u64>,
    /// For each published tuple, the original tuples that fit it: from `starts[tuple]` in `fitting`.
    starts: Vec<usize>,
    fitting: Vec<u32>,
    /// For each original tuple, which published tuples have rows of it, and how many.
    given: Vec<Vec<(u32, u64)>>,
    /// How far each tuple is from a published tuple in need.
    original_level: Vec<u32>,
    published_level: Vec<u32>,
    /// What was tried already on paths of this length.
    next_fitting: Vec<usize>,
    next_given: Vec<usize>,
}

impl Flow {
    fn new(candidates: &[Vec<u32>], spare: Vec<u64>, need: Vec<u64>) -> Flow {
        let (originals, published) = (spare.len(), need.len());
        let mut starts = vec![0; published + 1];
        for &to in candidates.iter().flatten() {
            starts[to as usize + 1] += 1;
        }
        for at in 0..published {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut fitting = vec![0; starts[published]];
        for (original, list) in (0..).zip(candidates) {
            for &to in list {
                fitting[next[to as usize]] = original;
                next[to as usize] += 1;
            }
        }
        Flow {
            spare,
            need,
            starts,
            fitting,
            given: vec![Vec::new(); originals],
            original_level: vec![UNSEEN; originals],
            published_level: vec![UNSEEN; published],
            next_fitting: vec![0; published],
            next_given: vec![0; originals],
        }
    }

    fn unmet(&self) -> u64 {
        self.need.iter().sum()
    }

    fn serve_greedily(&mut self, candidates: &[Vec<u32>]) {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|original| candidates[*original].len());
        for original in order {
            while self.spare[original] > 0 {
                let in_need = candidates[original].iter().filter(|to| self.need[**to as usize] > 0);
                let fits = |to: usize| self.starts[to + 1] - self.starts[to];
                let Some(&to) = in_need.min_by_key(|to| fits(**to as usize)) else { break };
                let rows = self.spare[original].min(self.need[to as usize]);
                self.give(original, to, rows);
                self.spare[original] -= rows;
                self.need[to as usize] -= rows;
            }
        }
    }

    fn serve_by_paths(&mut self) {
        while self.unmet() > 0 && self.find_levels() {
            for tuple in 0..self.need.len() {
                while self.need[tuple] > 0 && self.augment(tuple) {}
            }
        }
    }

    fn give(&mut self, original: usize, to: u32, rows: u64) {
        match self.given[original].iter_mut().find(|(other, _)| *other == to) {
            Some((_, given)) => *given += rows,
            None => self.given[original].push((to, rows)),
        }
    }

    /// Measures the distance of every tuple from those in need; says whether any spare row can be reached.
    fn find_levels(&mut self) -> bool {
        self.given.iter_mut().for_each(|given| given.retain(|(_, rows)| *rows > 0));
        self.original_level.fill(UNSEEN);
        self.next_given.fill(0);
        self.next_fitting.fill(0);
        let mut layer = Vec::new();
        for (at, need) in self.need.iter().enumerate() {
            self.published_level[at] = if *need > 0 { 0 } else { UNSEEN };
            if *need > 0 {
                layer.push(at);
            }
        }
        let mut level = 0;
        while !layer.is_empty() {
            let (mut found, mut next) = (false, Vec::new());
            for to in layer {
                for at in self.starts[to]..self.starts[to + 1] {
                    let original = self.fitting[at] as usize;
                    if self.original_level[original] != UNSEEN {
                        continue;
                    }
                    self.original_level[original] = level;
                    found |= self.spare[original] > 0;
                    for &(other, _) in &self.given[original] {
                        if self.published_level[other as usize] == UNSEEN {
                            self.published_level[other as usize] = level + 1;
                            next.push(other as usize);
                        }
                    }
                }
            }
            if found {
                return true;
            }
            (layer, level) = (next, level + 1);
        }
        false
    }

    /// Meets some need of a published tuple along one path; says whether there was one. Without recursion: a path may
    /// be as long as there are tuples.
    fn augment(&mut self, start: usize) -> bool {
        // Each step: a published tuple takes rows of an original from another published tuple, at a place in `given`.
        let mut path: Vec<(usize, usize, usize)> = Vec::new();
        let mut to = start;
        loop {
            let at = self.starts[to] + self.next_fitting[to];
            if at == self.starts[to + 1] {
                // A dead end: go back one step and never come here again on this length.
                self.published_level[to] = UNSEEN;
                let Some((before, ..)) = path.pop() else { return false };
                to = before;
                continue;
            }
            let original = self.fitting[at] as usize;
            if self.original_level[original] != self.published_level[to] {
                self.next_fitting[to] += 1;
            } else if self.spare[original] > 0 {
                self.apply(start, &path, to, original);
                return true;
            } else if let Some(place) = self.next_step(to, original) {
                path.push((to, original, place));
                to = self.given[original][place].0 as usize;
            } else {
                self.next_fitting[to] += 1;
            }
        }
    }

    /// The next published tuple, one level further, that has rows of an original tuple.
    fn next_step(&mut self, to: usize, original: usize) -> Option<usize> {
        let level = self.published_level[to] + 1;
        let given = &self.given[original];
        let is_open = |&place: &usize| given[place].1 > 0 && self.published_level[given[place].0 as usize] == level;
        let place = (self.next_given[original]..given.len()).find(is_open);
        self.next_given[original] = place.unwrap_or(given.len());
        place
    }

    fn apply(&mut self, start: usize, path: &[(usize, usize, usize)], last: usize, source: usize) {
        let movable = path.iter().map(|(_, original, place)| self.given[*original][*place].1);
        let rows = movable.chain([self.need[start], self.spare[source]]).min().unwrap_or(0);
        self.need[start] -= rows;
        self.spare[source] -= rows;
        for &(to, original, place) in path {
            self.given[original][place].1 -= rows;
            self.give(original, number(to), rows);
        }
        self.give(source, number(last), rows);
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, number, unmet};
    use proptest::prelude::*;

    /// Tries every way, one published row after the other.
    fn brute(candidates: &[Vec<u32>], spare: &mut [u64], need: &mut [u64]) -> u64 {
        let Some(to) = need.iter().position(|need| *need > 0) else { return 0 };
        need[to] -= 1;
        let mut best = 1 + brute(candidates, spare, need);
        for original in 0..spare.len() {
            if spare[original] > 0 && candidates[original].contains(&number(to)) {
                spare[original] -= 1;
                best = best.min(brute(candidates, spare, need));
                spare[original] += 1;
            }
        }
        need[to] += 1;
        best
    }

    #[test]
    fn a_row_is_taken_from_another_tuple_when_that_one_finds_a_row_elsewhere() {
        // A chain in which everyone must move by one.
        let candidates: Vec<Vec<u32>> = (0..50).map(|at| vec![at, at + 1]).collect();
        assert_eq!(unmet(&candidates, vec![1; 50], [vec![0], vec![1; 50]].concat()), 0);
        assert_eq!(unmet(&candidates, vec![1; 50], vec![1; 51]), 1);
    }

    proptest! {
        #[test]
        fn the_assignment_is_the_best_one(
            table in prop::collection::vec((prop::collection::vec(0u32..4, 0..4), 0u64..3), 1..5),
            need in prop::collection::vec(0u64..3, 4),
        ) {
            let spare: Vec<u64> = table.iter().map(|(_, rows)| *rows).collect();
            let candidates: Vec<Vec<u32>> = table
                .into_iter()
                .map(|(mut list, _)| { list.sort_unstable(); list.dedup(); list })
                .collect();
            let expected = brute(&candidates, &mut spare.clone(), &mut need.clone());
            prop_assert_eq!(unmet(&candidates, spare, need), expected);
        }
    }
    /// How many rows find none, by Kuhn's method on single rows: each looks for a row that is free or can be freed.
    fn unmet_by_single_rows(candidates: &[Vec<u32>], spare: &[u64], need: &[u64]) -> u64 {
        fn find(
            to: usize,
            fits: &dyn Fn(usize, usize) -> bool,
            taken: &mut [Option<usize>],
            seen: &mut [bool],
        ) -> bool {
            for row in 0..taken.len() {
                if fits(to, row) && !std::mem::replace(&mut seen[row], true) {
                    let free = taken[row].is_none_or(|other| find(other, fits, taken, seen));
                    if free {
                        taken[row] = Some(to);
                        return true;
                    }
                }
            }
            false
        }
        let each = |rows: &[u64]| -> Vec<usize> {
            rows.iter().enumerate().flat_map(|(at, rows)| (0..*rows).map(move |_| at)).collect()
        };
        let (originals, published) = (each(spare), each(need));
        let fits = |to: usize, row: usize| candidates[originals[row]].contains(&number(published[to]));
        let mut taken = vec![None; originals.len()];
        (0..published.len()).filter(|to| !find(*to, &fits, &mut taken, &mut vec![false; originals.len()])).count()
            as u64
    }

    proptest! {
        /// Serving greedily leaves little to do on small tables, so here it is left out.
        #[test]
        fn paths_alone_find_the_best_assignment_and_give_no_row_twice(
            table in prop::collection::vec((prop::collection::vec(0u32..7, 0..4), 0u64..4), 1..9),
            need in prop::collection::vec(0u64..4, 7),
        ) {
            let spare: Vec<u64> = table.iter().map(|(_, rows)| *rows).collect();
            let candidates: Vec<Vec<u32>> = table
                .into_iter()
                .map(|(mut list, _)| { list.sort_unstable(); list.dedup(); list })
                .collect();
            let mut flow = Flow::new(&candidates, spare.clone(), need.clone());
            flow.serve_by_paths();
            prop_assert_eq!(flow.unmet(), unmet_by_single_rows(&candidates, &spare, &need));
            prop_assert_eq!(unmet(&candidates, spare.clone(), need.clone()), flow.unmet());
            let mut given_to = flow.need.clone();
            for (original, given) in flow.given.iter().enumerate() {
                prop_assert!(given.iter().all(|(to, rows)| *rows == 0 || candidates[original].contains(to)));
                prop_assert_eq!(flow.spare[original] + given.iter().map(|(_, rows)| rows).sum::<u64>(), spare[original]);
                given.iter().for_each(|(to, rows)| given_to[*to as usize] += rows);
            }
            prop_assert_eq!(given_to, need);
        }
    }
}
