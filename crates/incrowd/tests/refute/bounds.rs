//! "No release can lose less" and "optimal". The reader makes other releases of the same table under the same policy.

use incrowd::AnonymizeOptions;

use super::case::Wanted;
use super::run::refute;

const OTHERS: [&str; 6] = ["mondrian", "top-down", "cheapest-first", "k-anon-cf", "agglomerative", "forest"];

#[test]
fn bounds_are_not_refuted() {
    let wanted = Wanted { most_rows: 14, ..Wanted::default() };
    refute("bounds on the loss", wanted, |desk, release| {
        let options = AnonymizeOptions { bound: true, loss: Some("lm".into()), ..release.case.options.clone() };
        let Ok(bounded) = desk.release(&options, "bounded") else { return Ok(false) };
        let Some(bound) = bounded.loss.bound else { return Ok(false) };
        if bound > bounded.loss.lm + 1e-9 {
            return Err(format!("the release loses {} and the bound is {bound}", bounded.loss.lm));
        }
        let first = release.case.table.rows.len();
        for algorithm in [0, 1, 2].map(|other| OTHERS[(first + other) % OTHERS.len()]) {
            let options = AnonymizeOptions { algorithm: algorithm.into(), at_once: None, ..options.clone() };
            let other = AnonymizeOptions { bound: false, ..options };
            let Ok(other) = desk.release(&other, algorithm) else { continue };
            if other.loss.lm < bound - 1e-9 {
                return Err(format!("{algorithm} loses {} and the bound is {bound}", other.loss.lm));
            }
            if bounded.optimal == Some(true) && other.loss.lm < bounded.loss.lm - 1e-9 {
                return Err(format!("{algorithm} loses less than a release that is called optimal"));
            }
        }
        Ok(true)
    });
}
