//! Bytes that were meant to break the reader give faults, never a panic.

use incrowd_verify::{Format, Options, verify};
use proptest::prelude::*;

use crate::support::Draft;

fn format() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Csv), Just(Format::Parquet), Just(Format::Arrow), Just(Format::Xlsx)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn changed_bytes_never_verify_and_resealed_ones_never_panic(
        format in format(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut draft = Draft::honest(format);
        draft.write();
        let whole = std::fs::read(draft.data()).unwrap();
        let mut bytes = whole.clone();
        for (at, change) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        std::fs::write(draft.data(), &bytes).unwrap();
        prop_assert_eq!(draft.verify().verified, bytes == whole);
        draft.seal().verify();
    }

    #[test]
    fn a_manifest_of_any_text_never_panics(text in ".{0,200}", numbers in prop::array::uniform5(any::<u64>())) {
        let mut draft = Draft::honest(Format::Csv);
        draft.write();
        let path = draft.dir().join("manifest.json");
        std::fs::write(&path, &text).unwrap();
        prop_assert!(!draft.verify().verified);
        let [rows, source_rows, suppressed_rows, classes, smallest_class] = numbers;
        let (source_rows, suppressed_rows) = (source_rows.into(), suppressed_rows.into());
        draft.manifest = incrowd_verify::Manifest { rows, source_rows, suppressed_rows, classes, smallest_class, ..draft.manifest.clone() };
        draft.manifest.files[0].rows = rows;
        draft.seal_as_is();
        prop_assert!(!verify(&draft.dir(), &Options::default()).unwrap().verified);
    }
}
