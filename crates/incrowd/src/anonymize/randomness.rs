//! Where a run's chance comes from: a seed for the solver, and a key for everything that must stay secret.
//!
//! They are two things. A *seed* is a small number that people write down, reuse and can guess; it decides which of many
//! good partitions the solver finds, and nothing else. The *key* is 256 bits from the operating system, drawn for every
//! release: the order of the rows, the class a row of a split tuple gets, the class ids of two tables, the hashes of people
//! and the fingerprint of the input follow from it. It is kept in the custodian's record, by which a release can be
//! repeated, and is never published. Nothing that is published is a function of the seed alone, other than the classes.

use incrowd_core::Treatment;
use incrowd_report::dossier::Repeatability;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::release::RandomnessRecord;
use crate::release::keys::{RunKeys, derived, hex, unhex};

/// The key that everything secret in a run is derived from, and the seed of the solver.
pub(super) struct Randomness {
    keys: RunKeys,
    seed: Option<u64>,
    release: [u8; 16],
}

impl Randomness {
    /// A fresh key from the operating system, whatever the seed.
    pub(super) fn fresh(seed: Option<u64>) -> Result<Randomness> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| Error::NoRandomness)?;
        Randomness::of(key, seed)
    }

    /// The key and the seed of a record; nothing when the record holds no key.
    pub(super) fn repeated(record: &RandomnessRecord) -> Result<Option<Randomness>> {
        unhex(&record.key).map(|key| Randomness::of(key, record.seed)).transpose()
    }

    fn of(key: [u8; 32], seed: Option<u64>) -> Result<Randomness> {
        let mut release = [0; 16];
        getrandom::fill(&mut release).map_err(|_| Error::NoRandomness)?;
        Ok(Randomness { keys: RunKeys { own: key, linked: None }, seed, release })
    }

    /// A fresh key for one of several tables of the same people, of which this is the shared one.
    pub(super) fn of_table(&self) -> Result<Randomness> {
        let own = Randomness::fresh(self.seed)?;
        Ok(Randomness { keys: RunKeys { linked: Some(self.keys.own), ..own.keys }, ..own })
    }

    /// Whether the table is one of several.
    pub(super) fn is_linked(&self) -> bool {
        self.keys.linked.is_some()
    }

    /// A separate key for each purpose; the other keys cannot be derived from it.
    fn derived(&self, purpose: &str) -> [u8; 32] {
        derived(&self.keys.own, purpose)
    }

    pub(super) fn shuffle_key(&self) -> [u8; 32] {
        self.derived("shuffle")
    }

    /// The solver's seed. It may be a function of a small number: a solver decides about tuples and their counts, and what
    /// it decides is published. Which row is which is decided by the key.
    pub(super) fn solver_seed(&self) -> u64 {
        let of_seed = |seed: u64| -> [u8; 32] {
            Sha256::digest([b"incrowd seed ".as_slice(), &seed.to_le_bytes()].concat()).into()
        };
        let [a, b, c, d, e, f, g, h, ..] = derived(&self.seed.map_or(self.keys.own, of_seed), "solver");
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    pub(super) fn person_key(&self) -> [u64; 4] {
        let key = self.keys.people();
        std::array::from_fn(|word| key[8 * word..][..8].iter().fold(0, |key, &byte| key << 8 | u64::from(byte)))
    }

    /// The key of the pseudonyms of a column, or of what is drawn for it: equal values of two columns have different
    /// pseudonyms.
    pub(super) fn treatment_key(&self, column: &str, is_subject: bool, treatment: &Treatment) -> [u8; 32] {
        self.keys.treatment(column, is_subject, treatment)
    }

    /// The key of the input's fingerprint: without the custodian's record no one can try tables against it.
    pub(super) fn fingerprint_key(&self) -> [u8; 32] {
        self.derived("fingerprint")
    }

    /// A name that no other release has, from the operating system also when a release is repeated.
    pub(super) fn release_id(&self) -> String {
        hex(&self.release)
    }

    pub(super) fn record(&self, repeatability: Repeatability) -> RandomnessRecord {
        let linked_key = self.keys.linked.as_ref().map(|key| hex(key));
        RandomnessRecord { seed: self.seed, key: hex(&self.keys.own), linked_key, repeatability: Some(repeatability) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_governs_the_solver_and_nothing_else() {
        let [a, b] = [7, 7].map(|seed| Randomness::fresh(Some(seed)).expect("the system's"));
        assert_eq!(a.solver_seed(), b.solver_seed());
        assert_ne!(a.solver_seed(), Randomness::fresh(Some(8)).expect("the system's").solver_seed());
        assert_ne!(a.shuffle_key(), b.shuffle_key());
        assert_ne!(a.person_key(), b.person_key());
        assert_ne!(a.fingerprint_key(), b.fingerprint_key());
        let pseudonyms = |one: &Randomness, column| one.treatment_key(column, false, &Treatment::Pseudonym);
        assert_ne!(pseudonyms(&a, "id"), pseudonyms(&b, "id"), "pseudonyms of two releases are unlinkable");
        assert_ne!(pseudonyms(&a, "id"), pseudonyms(&a, "name"));
        let shift = |one: &Randomness, column, days| one.treatment_key(column, false, &Treatment::Shift { days });
        assert_eq!(shift(&a, "from", 30), shift(&a, "to", 30), "intervals between two columns stay");
        assert_ne!(shift(&a, "from", 30), shift(&a, "from", 31));
        assert_ne!(shift(&a, "from", 30), shift(&b, "from", 30));
        assert_ne!(a.release_id(), b.release_id());
    }

    #[test]
    fn several_tables_share_what_is_about_people_and_nothing_else() {
        let shared = Randomness::fresh(Some(7)).expect("the system's");
        let [a, b] = [(); 2].map(|()| shared.of_table().expect("the system's"));
        let subject = |one: &Randomness, column| one.treatment_key(column, true, &Treatment::Pseudonym);
        assert_eq!(subject(&a, "id"), subject(&b, "patient"), "a person has the same pseudonym in all tables");
        let other = |one: &Randomness| one.treatment_key("doctor", false, &Treatment::Pseudonym);
        assert_ne!(other(&a), other(&b), "nothing else links the tables");
        let shift = |one: &Randomness| one.treatment_key("day", false, &Treatment::Shift { days: 30 });
        assert_eq!(shift(&a), shift(&b), "intervals between the dates of two tables stay");
        assert_eq!(a.person_key(), b.person_key());
        assert_ne!(a.shuffle_key(), b.shuffle_key());
        let again = Randomness::fresh(Some(7)).expect("the system's").of_table().expect("the system's");
        assert_ne!(subject(&a, "id"), subject(&again, "id"), "pseudonyms of two releases are unlinkable");
    }

    #[test]
    fn without_a_seed_no_run_is_like_another() {
        let [a, b] = [(); 2].map(|()| Randomness::fresh(None).expect("the system's"));
        assert_ne!((a.solver_seed(), a.shuffle_key()), (b.solver_seed(), b.shuffle_key()));
    }

    #[test]
    fn a_record_gives_back_all_but_the_name() {
        for seed in [None, Some(7)] {
            let first = Randomness::fresh(seed).expect("the system's");
            let record = first.record(Repeatability::Exact);
            let again = Randomness::repeated(&record).expect("the system's").expect("a key");
            assert_eq!(again.solver_seed(), first.solver_seed());
            assert_eq!((again.shuffle_key(), again.person_key()), (first.shuffle_key(), first.person_key()));
            assert_ne!(again.release_id(), first.release_id(), "a repeated release is a release of its own");
            let damaged = RandomnessRecord { key: "0".repeat(63), ..record };
            assert!(Randomness::repeated(&damaged).expect("nothing is drawn").is_none());
        }
    }
}
