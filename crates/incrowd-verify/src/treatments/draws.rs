//! What was drawn at random for a person or a row, from the key of the release.
//!
//! The words of a name are the HMACs (SHA-256) of the name followed by 0, 1, 2 … in 32 bits, each read as four numbers of 64
//! bits; everything is big-endian. A person's name is `p` and the text that stands for the person; a row of nobody is `r` and
//! its number in the table, from 0, in 64 bits.

use super::hmac::hmac;

/// Whose draw it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowOwner<'a> {
    /// The person of the row, if one is named.
    pub(crate) person: Option<&'a str>,
    /// The number of the row in the table, from 0.
    pub(crate) row: u64,
}

impl RowOwner<'_> {
    /// The words for a number of the person, given in its shortest form, or of the row. They are the same for equal numbers of a
    /// person: the name is `v`, the length of the person's text in 32 bits, the text, and the number.
    pub(super) fn words_for<'k>(self, number: &str, key: &'k [u8; 32]) -> WordStream<'k> {
        let name = match self.person {
            Some(person) => {
                let length = u32::try_from(person.len()).unwrap_or(u32::MAX).to_be_bytes();
                std::iter::once(b'v').chain(length).chain(person.bytes()).chain(number.bytes()).collect()
            }
            None => self.name(),
        };
        WordStream { key, name, taken: 0 }
    }

    fn name(self) -> Vec<u8> {
        match self.person {
            Some(person) => format!("p{person}").into_bytes(),
            None => std::iter::once(b'r').chain(self.row.to_be_bytes()).collect(),
        }
    }

    /// The words of the person, or of the row.
    pub(super) fn words(self, key: &[u8; 32]) -> WordStream<'_> {
        WordStream { key, name: self.name(), taken: 0 }
    }
}

/// The words of one name, from the first on.
pub(super) struct WordStream<'k> {
    key: &'k [u8; 32],
    name: Vec<u8>,
    taken: u32,
}

impl WordStream<'_> {
    fn next(&mut self) -> u64 {
        let (block, place) = (self.taken / 4, self.taken as usize % 4);
        self.taken += 1;
        let bytes = hmac(self.key, &[self.name.as_slice(), &block.to_be_bytes()].concat());
        u64::from_be_bytes(std::array::from_fn(|at| bytes[8 * place + at]))
    }

    /// Whether something with the probability exp(−γ) happened, where γ = over / under.
    ///
    /// For γ ≤ 1 the least n is found for which an event of probability γ / n did not happen: it is odd with the probability
    /// 1 − γ + γ²/2 − … = exp(−γ). Larger ones are a product of exp(−1) and a rest.
    pub(super) fn happens(&mut self, over: u128, under: u128) -> bool {
        for _ in 0..over / under {
            if !self.happens_once(1, 1) {
                return false;
            }
        }
        self.happens_once(over % under, under)
    }

    pub(super) fn happens_once(&mut self, over: u128, under: u128) -> bool {
        let mut n = 1;
        while self.below(under * n) < over {
            n += 1;
        }
        n % 2 == 1
    }

    /// A number from 0 to before `count`: the remainder of the first word (of the first two when `count` is above 2⁶⁴) that
    /// lies in a complete run of remainders.
    pub(super) fn below(&mut self, count: u128) -> u128 {
        let two = count > 1 << 64;
        loop {
            let word = u128::from(self.next());
            let word = if two { word << 64 | u128::from(self.next()) } else { word };
            let run = word - word % count;
            let end = run.checked_add(count - 1);
            if end.is_some_and(|end| two || end < 1 << 64) {
                return word - run;
            }
        }
    }
}

#[cfg(test)]
mod tests;
