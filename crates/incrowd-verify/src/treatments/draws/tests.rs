//! What is drawn for people and rows, against the definition computed with Python's `hmac`.

use super::*;

#[test]
fn a_person_draws_the_same_in_every_row_and_nobody_by_row() {
    let drawn = |person, row| RowOwner { person, row }.words(&[3; 32]).below(1 << 60);
    assert_eq!(drawn(Some("a"), 1), drawn(Some("a"), 2));
    assert_ne!(drawn(Some("a"), 1), drawn(Some("b"), 1));
    assert_ne!(drawn(None, 1), drawn(None, 2));
}

#[test]
fn every_number_is_drawn() {
    let mut words = RowOwner { person: Some("a"), row: 0 }.words(&[3; 32]);
    let mut counts = [0u32; 5];
    for _ in 0..5_000 {
        counts[usize::try_from(words.below(5)).expect("below 5")] += 1;
    }
    // A count has mean 1000 and a standard deviation of 28.
    assert!(counts.iter().all(|&count| count.abs_diff(1_000) < 150), "{counts:?}");
    assert!((0..100).all(|_| words.below(1 << 100) < 1 << 100));
}

fn of_a() -> WordStream<'static> {
    RowOwner { person: Some("a"), row: 0 }.words(&[3; 32])
}

#[test]
fn words_are_those_of_the_definition() {
    let shown = |mut words: WordStream<'_>, count: usize| -> Vec<u64> { (0..count).map(|_| words.next()).collect() };
    let expected = [
        0xb6e3_ea13_78e4_b8b7,
        0x2384_b9d5_253c_453c,
        0x2792_92ff_6bb2_5836,
        0x94c6_0d0d_3b7e_fe52,
        0x858f_1eca_20ac_603a,
        0x6323_9108_697c_3899,
        0x8520_48c4_e92c_082d,
        0x6819_e629_9dbd_0eb8,
        0x414f_72e2_ddaf_7094,
    ];
    assert_eq!(shown(of_a(), 9), expected);
    let key = [3; 32];
    let nobody = RowOwner { person: None, row: 5 };
    let expected = [0xa20f_fe24_fdb0_1685, 0xe110_b0fb_6811_228f];
    assert_eq!(shown(nobody.words(&key), 2), expected);
    assert_eq!(shown(nobody.words_for("2.5", &key), 2), expected, "a row has one name, whatever its number");
    let person = RowOwner { person: Some("Änne"), row: 5 };
    assert_eq!(shown(person.words_for("2.5", &key), 2), [0xa51d_51b5_eb0a_f469, 0x0123_993c_4aeb_68f3]);
}

/// Each count with the number drawn, and the words taken since the first.
#[test]
fn a_number_below_a_count_is_a_remainder_in_a_complete_run() {
    let mut words = of_a();
    for (count, drawn, taken) in [
        (1, 0, 1),
        (5, 1, 2),
        (1 << 63, 2_851_503_139_800_111_158, 3),
        ((1 << 63) + 1, 7_143_712_899_255_253_145, 6),
        ((1 << 63) + 1, 7_501_279_720_776_732_344, 8),
        ((1 << 63) + 1, 4_706_106_454_332_895_380, 9),
        (1 << 63, 3_792_421_451_283_399_642, 10),
        ((1 << 64) - 1, 7_210_696_548_622_512_667, 11),
        (1 << 64, 9_793_462_845_747_803_141, 12),
        ((1 << 64) + 1, 6_352_253_906_214_017_193, 14),
        (1 << 100, 10_337_540_698_432_535_634_506_130_665, 16),
        ((1 << 127) + 1, 98_802_066_501_161_499_818_076_396_484_017_038_278, 18),
        ((1 << 127) + 1, 155_200_771_849_771_138_065_451_872_958_297_865_429, 20),
        ((1 << 127) + 1, 47_569_751_055_988_278_122_643_101_347_994_511_547, 26),
        (1 << 127, 153_746_309_787_129_342_167_529_871_957_357_448_125, 28),
        (1 << 127, 48_838_619_042_916_135_910_395_356_296_572_282_514, 30),
        (1_000_000, 875_056, 31),
    ] {
        assert_eq!((words.below(count), words.taken), (drawn, taken), "below {count}");
    }
}

#[test]
fn a_run_that_ends_one_after_the_last_word_is_not_complete() {
    // The count divides 2⁶⁴ + 1, and the first word of this row lies in the last run.
    let mut words = RowOwner { person: None, row: 1_249 }.words(&[3; 32]);
    assert_eq!((words.below(67_280_421_310_721), words.taken), (40_370_405_255_844, 2));
}

#[test]
fn events_happen_as_the_definition_says() {
    let mut words = of_a();
    for (over, under, happened, taken) in [
        (0, 7, "1111111111111111111111111111111111111111", 40),
        (1, 1, "1001100001010000101010010100001100001000", 174),
        (1, 2, "1011110101001010010011110110001110101110", 231),
        (5, 2, "0000000000000000000010001000000100000000", 385),
        (7, 3, "0000000000001000010101000000000000000000", 559),
        (3, 1, "0000000000000100000000000000000000000000", 714),
        (1, 10, "1111111110111111111111111111111111111111", 755),
        (9, 4, "1000100000011000000000000001010001000001", 940),
    ] {
        let found: String = (0..40).map(|_| if words.happens(over, under) { '1' } else { '0' }).collect();
        assert_eq!((found.as_str(), words.taken), (happened, taken), "{over} / {under}");
    }
}
