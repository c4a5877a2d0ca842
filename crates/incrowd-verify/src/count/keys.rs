//! From the codes of a row to the number of its class.
//!
//! Codes are packed into 128 bits, each column as wide as the codes met so far need; when a column outgrows its width,
//! the keys are packed anew, twice as wide at least in values, so that it happens seldom. What needs more than 128 bits
//! is kept as a list of codes.

use std::collections::HashMap;

use ahash::RandomState;

/// The classes met so far, by the codes of their columns.
pub(crate) struct ClassKeys {
    widths: Vec<u32>,
    form: KeyForm,
}

enum KeyForm {
    Packed(HashMap<u128, u32, RandomState>),
    Listed(HashMap<Box<[u32]>, u32, RandomState>),
}

impl ClassKeys {
    /// No classes yet, made by this number of columns.
    pub(crate) fn new(columns: usize) -> ClassKeys {
        ClassKeys { widths: vec![1; columns], form: KeyForm::Packed(HashMap::default()) }
    }

    /// How many classes there are.
    pub(crate) fn len(&self) -> usize {
        match &self.form {
            KeyForm::Packed(map) => map.len(),
            KeyForm::Listed(map) => map.len(),
        }
    }

    /// How many columns make a class.
    pub(crate) fn columns(&self) -> usize {
        self.widths.len()
    }

    /// The class of each of `rows` rows, given column by column, into `classes`. `codes` says how many codes each
    /// column has so far.
    pub(crate) fn classify(&mut self, columns: &[Vec<u32>], codes: &[usize], rows: usize, classes: &mut Vec<u32>) {
        self.widen(codes);
        classes.clear();
        let mut next = super::number(self.len());
        let mut number = |entry: &mut u32| {
            if *entry == u32::MAX {
                *entry = next;
                next += 1;
            }
            *entry
        };
        match &mut self.form {
            KeyForm::Packed(map) => {
                let mut keys = vec![0u128; rows];
                for (column, width) in columns.iter().zip(&self.widths) {
                    for (key, code) in keys.iter_mut().zip(column) {
                        *key = *key << width | u128::from(*code);
                    }
                }
                classes.extend(keys.into_iter().map(|key| number(map.entry(key).or_insert(u32::MAX))));
            }
            KeyForm::Listed(map) => {
                let mut tuple = vec![0; columns.len()];
                for row in 0..rows {
                    for (code, column) in tuple.iter_mut().zip(columns) {
                        *code = column[row];
                    }
                    classes.push(match map.get(tuple.as_slice()) {
                        Some(&class) => class,
                        None => number(map.entry(tuple.clone().into()).or_insert(u32::MAX)),
                    });
                }
            }
        }
    }

    /// Tells each class with its codes, in no order.
    pub(crate) fn each(&self, mut tell: impl FnMut(&[u32], u32)) {
        match &self.form {
            KeyForm::Packed(map) => {
                let mut tuple = vec![0; self.widths.len()];
                for (&key, &class) in map {
                    unpack(key, &self.widths, &mut tuple);
                    tell(&tuple, class);
                }
            }
            KeyForm::Listed(map) => map.iter().for_each(|(tuple, &class)| tell(tuple, class)),
        }
    }

    /// Makes room for the codes of each column.
    fn widen(&mut self, codes: &[usize]) {
        let needed = |codes: usize| usize::BITS - codes.saturating_sub(1).leading_zeros();
        if codes.iter().zip(&self.widths).all(|(&codes, &width)| needed(codes) <= width) {
            return;
        }
        let KeyForm::Packed(map) = &mut self.form else { return };
        let old = self.widths.clone();
        for (width, &codes) in self.widths.iter_mut().zip(codes) {
            // One bit more than is needed now, so that a column that grows code by code is repacked seldom.
            if needed(codes) > *width {
                *width = needed(codes) + 1;
            }
        }
        let mut tuple = vec![0; old.len()];
        if self.widths.iter().sum::<u32>() <= u128::BITS {
            let wider = map.drain().map(|(key, class)| {
                unpack(key, &old, &mut tuple);
                (tuple.iter().zip(&self.widths).fold(0, |key, (&code, &width)| key << width | u128::from(code)), class)
            });
            *map = wider.collect();
        } else {
            let listed = map.drain().map(|(key, class)| {
                unpack(key, &old, &mut tuple);
                (tuple.clone().into_boxed_slice(), class)
            });
            self.form = KeyForm::Listed(listed.collect());
        }
    }
}

fn unpack(mut key: u128, widths: &[u32], tuple: &mut [u32]) {
    for (code, &width) in tuple.iter_mut().zip(widths).rev() {
        // A column is at most 32 bits wide.
        *code = u32::try_from(key & ((1 << width) - 1)).unwrap_or(u32::MAX);
        key >>= width;
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassKeys, KeyForm};

    #[test]
    fn classes_stay_the_same_when_columns_outgrow_their_width_and_128_bits() {
        let columns = 10;
        let mut keys = ClassKeys::new(columns);
        let mut classes = Vec::new();
        let mut first = Vec::new();
        for most in [2u32, 3, 100, 5_000, 70_000] {
            // Two rows that differ in the last column only, and one that was there before.
            let mut table: Vec<Vec<u32>> = (0..columns).map(|_| vec![most - 1, most - 1, 1]).collect();
            table[columns - 1][1] = 0;
            keys.classify(&table, &vec![most as usize; columns], 3, &mut classes);
            assert_ne!(classes[0], classes[1]);
            first.push(classes[2]);
        }
        assert_eq!(first, vec![first[0]; 5]);
        assert_eq!(keys.len(), 10);
        let mut told = 0;
        keys.each(|codes, class| {
            told += 1;
            assert_eq!(class == first[0], codes.iter().all(|&code| code == 1));
        });
        assert_eq!(told, 10);
    }

    #[test]
    fn every_tuple_has_its_class_while_columns_grow_code_by_code() {
        for columns in [1, 2, 3, 26] {
            let mut keys = ClassKeys::new(columns);
            assert_eq!((keys.columns(), keys.len()), (columns, 0));
            let (mut classes, mut met) = (vec![7], Vec::<Vec<u32>>::new());
            for most in 1..=70u32 {
                // The first column has few codes, and the last one a new code in each turn.
                let mut codes = vec![most as usize; columns];
                codes[0] = if columns == 1 { most as usize } else { 2 };
                let tuple = |code: u32| -> Vec<u32> {
                    (0..columns)
                        .map(|at| if columns > 1 && at == 0 { code % 2 } else { code / (at as u32 % 3 + 1) })
                        .collect()
                };
                let mut rows = [tuple(most - 1), tuple(most / 2), tuple(most - 1)];
                rows[1][columns - 1] = most - 1;
                let table: Vec<Vec<u32>> = (0..columns).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
                keys.classify(&table, &codes, 3, &mut classes);
                assert_eq!(classes.len(), 3);
                for (row, &class) in rows.iter().zip(&classes) {
                    // Classes are numbered in the order in which they are met.
                    let known = met.iter().position(|other| other == row).unwrap_or_else(|| {
                        met.push(row.clone());
                        met.len() - 1
                    });
                    assert_eq!(class as usize, known, "{row:?}");
                }
            }
            assert_eq!(keys.len(), met.len());
            let mut told = vec![Vec::new(); met.len()];
            keys.each(|codes, class| told[class as usize] = codes.to_vec());
            assert_eq!(told, met);
        }
    }

    #[test]
    fn columns_are_repacked_seldom_and_packed_while_128_bits_are_enough() {
        let widened = |columns: usize, steps: &[&[usize]]| {
            let mut keys = ClassKeys::new(columns);
            steps.iter().for_each(|codes| keys.classify(&vec![Vec::new(); columns], codes, 0, &mut Vec::new()));
            (keys.widths.clone(), matches!(keys.form, KeyForm::Packed(_)))
        };
        let cases: [(&[&[usize]], [u32; 2]); 10] = [
            (&[&[0, 2]], [1, 1]),
            (&[&[2, 3]], [1, 3]),
            (&[&[2, 4]], [1, 3]),
            (&[&[2, 5]], [1, 4]),
            (&[&[1, 3], &[1, 8]], [1, 3]),
            (&[&[1, 3], &[1, 9]], [1, 5]),
            (&[&[9, 8], &[9, 9]], [5, 4]),
            (&[&[9, 16], &[9, 17]], [5, 5]),
            (&[&[1, 8], &[3, 16]], [3, 4]),
            (&[&[256, 257]], [9, 10]),
        ];
        for (steps, widths) in cases {
            assert_eq!(widened(2, steps), (widths.to_vec(), true), "{steps:?}");
        }
        // 16 columns of 8 bits are 128 bits; one of 9 bits is too much.
        let mut codes = [128; 16];
        assert_eq!(widened(16, &[&codes]), (vec![8; 16], true));
        codes[15] = 129;
        assert!(!widened(16, &[&codes]).1);
    }
}
