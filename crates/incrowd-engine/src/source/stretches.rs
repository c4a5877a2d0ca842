//! Files cut into contiguous stretches of about the same size, one for each reader.
//!
//! Stretches are the same in every scan by as many readers: a row is known by its place in one of them.

/// Parts of one file that stand one behind the other: record batches, or row groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileParts {
    /// The file's place among the files of the table.
    pub(crate) file: usize,
    /// The first part.
    pub(crate) first: usize,
    /// How many parts.
    pub(crate) parts: usize,
}

/// The parts of all files, given by their weights, for each of at most this many readers. A part belongs to the stretch
/// that its middle falls into. There is always one stretch, even without a part.
pub(crate) fn stretches(files: &[Vec<u64>], readers: usize) -> Vec<Vec<FileParts>> {
    let parts: usize = files.iter().map(Vec::len).sum();
    let readers = readers.clamp(1, parts.max(1));
    // Even parts without weight are spread over the readers.
    let weights = || files.iter().flatten().map(|&weight| u128::from(weight) + 1);
    let (all, mut before) = (weights().sum::<u128>().max(1), 0);
    let mut stretches: Vec<Vec<FileParts>> = vec![Vec::new(); readers];
    for (file, parts) in files.iter().enumerate() {
        for (part, &weight) in parts.iter().enumerate() {
            let weight = u128::from(weight) + 1;
            let at = (2 * before + weight) * readers as u128 / (2 * all);
            before += weight;
            let stretch = &mut stretches[at as usize];
            match stretch.last_mut().filter(|last| last.file == file) {
                Some(last) => last.parts += 1,
                None => stretch.push(FileParts { file, first: part, parts: 1 }),
            }
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_take_every_part_once_and_in_order() {
        for files in [vec![vec![1; 7]], vec![vec![9, 1, 0], vec![], vec![4], vec![0, 0, 30]], vec![vec![u64::MAX; 3]]] {
            for readers in 1..15 {
                let cut = stretches(&files, readers);
                assert!((1..=readers).contains(&cut.len()));
                let taken = cut.iter().flatten();
                let taken = taken.flat_map(|some| (some.first..some.first + some.parts).map(|part| (some.file, part)));
                let all = files.iter().enumerate().flat_map(|(file, parts)| (0..parts.len()).map(move |at| (file, at)));
                assert!(taken.eq(all), "{readers} readers of {files:?}: {cut:?}");
            }
        }
        assert_eq!(stretches(&[], 4), [vec![]]);
    }

    #[test]
    fn stretches_of_equal_parts_have_equally_many() {
        let sizes: Vec<usize> = stretches(&[vec![1000; 12]], 4).iter().map(|stretch| stretch[0].parts).collect();
        assert_eq!(sizes, [3; 4]);
    }
}
