//! The codes of refusals: why there is no answer, and what to do.
//!
//! A code is never reused for something else. The codes of findings are in `incrowd-core`.

mod releases;
mod requests;
mod tables;

use incrowd_core::{Code, Severity};

use self::releases::RELEASES;
use self::requests::REQUESTS;
use self::tables::TABLES;

/// Every refusal code, in order.
pub const REFUSALS: &[Code] =
    &joined::<{ TABLES.len() + REQUESTS.len() + RELEASES.len() }>([TABLES, REQUESTS, RELEASES]);

const fn refusal(code: &'static str, name: &'static str, summary: &'static str, explanation: &'static str) -> Code {
    Code { code, name, severity: Severity::Refusal, summary, explanation }
}

/// All codes of several lists.
const fn joined<const N: usize>(lists: [&[Code]; 3]) -> [Code; N] {
    let (mut all, mut to, mut list) = ([lists[0][0]; N], 0, 0);
    while list < lists.len() {
        let mut from = 0;
        while from < lists[list].len() {
            all[to] = lists[list][from];
            (to, from) = (to + 1, from + 1);
        }
        list += 1;
    }
    all
}
