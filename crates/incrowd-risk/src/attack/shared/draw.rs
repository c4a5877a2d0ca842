//! Numbers that look random and are the same in every run.

/// A number that looks random: the last step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(super) fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The same things in an order that has nothing to do with the old one.
pub(in crate::attack) fn shuffled<T: Copy>(things: &[T], seed: u64) -> Vec<T> {
    let mut keyed: Vec<(u64, T)> = (0..).zip(things).map(|(at, &thing)| (mixed(seed ^ mixed(at)), thing)).collect();
    keyed.sort_by_key(|&(key, _)| key);
    keyed.into_iter().map(|(_, thing)| thing).collect()
}
