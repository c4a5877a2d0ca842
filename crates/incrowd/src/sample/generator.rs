//! Turns random bits into people: one draw per column, each from the distribution that earlier columns select.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::alias::Alias;
use super::labels;
use super::weights::{self as w, BANDS, LEVELS, OLDEST, ORIGINS, YOUNGEST};

/// The year whose first of July is the day at which ages are counted.
pub(super) const REFERENCE_YEAR: i32 = 2024;
/// How many postcodes there are: a thousand in each of ten regions.
pub(super) const POSTCODES: u32 = 10_000;
const POSTCODES_PER_REGION: u32 = 1_000;
const SEXES: usize = labels::SEX.len();
/// Employer of those who never had an occupation.
const NEVER_EMPLOYED: u32 = labels::WORKCLASS.len() as u32 - 1;

/// The code of the missing label, which follows the labels of its column.
const NO_WORKCLASS: u32 = labels::WORKCLASS.len() as u32;
const NO_OCCUPATION: u32 = labels::OCCUPATION.len() as u32;
const NO_COUNTRY: u32 = labels::NATIVE_COUNTRY.len() as u32;

/// One person: ages in years, the day of birth since 1970-01-01, everything else as a code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) age: u32,
    pub(super) workclass: u32,
    pub(super) education: u32,
    pub(super) marital_status: u32,
    pub(super) occupation: u32,
    pub(super) race: u32,
    pub(super) sex: u32,
    pub(super) native_country: u32,
    pub(super) postcode: u32,
    pub(super) birth_date: i32,
    pub(super) diagnosis: u32,
    pub(super) salary_class: u32,
}

/// Every distribution, built once.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    base: u64,
    age: Alias,
    country: Alias,
    race: [Alias; ORIGINS],
    region: [Alias; ORIGINS],
    town: Alias,
    education: [[Alias; 2]; 3],
    marital_status: [[Alias; SEXES]; BANDS],
    workclass: [[Alias; 3]; LEVELS],
    occupation: [[[Alias; SEXES]; labels::WORKCLASS.len()]; LEVELS],
    diagnosis: [[Alias; SEXES]; 3],
}

impl Generator {
    /// The people of a seed.
    pub(super) fn new(seed: u64) -> Self {
        use std::array::from_fn as each;
        let plain = |weights: &[u32]| Alias::new(weights.iter().map(|&weight| f64::from(weight)));
        Generator {
            base: SplitMix64::seed_from_u64(seed).next_u64(),
            age: Alias::new((YOUNGEST..=OLDEST).map(w::age)),
            country: plain(&w::NATIVE_COUNTRY),
            race: each(|origin| plain(&w::RACE[origin])),
            region: each(|origin| plain(&w::REGION[origin])),
            // Zipf's law, flattened at the top: the largest town is not a tenth of its region.
            town: Alias::new((0..POSTCODES_PER_REGION).map(|rank| 1.0 / f64::from(rank + 8))),
            education: each(|phase| [plain(&w::EDUCATION[phase]), lean(&w::EDUCATION[phase], &[&w::EDUCATION_ABROAD])]),
            marital_status: each(|band| {
                let all = &w::MARITAL_STATUS[band];
                [lean(all, &[&w::MARITAL_STATUS_OF_WOMEN]), plain(all)]
            }),
            workclass: each(|level| each(|phase| lean(&w::WORKCLASS[level], &[&w::WORKCLASS_BY_PHASE[phase]]))),
            occupation: each(|level| {
                each(|workclass| {
                    let (all, employer) = (&w::OCCUPATION[level], &w::OCCUPATION_BY_WORKCLASS[workclass]);
                    [lean(all, &[employer, &w::OCCUPATION_OF_WOMEN]), lean(all, &[employer])]
                })
            }),
            diagnosis: each(|health| each(|sex| plain(&w::DIAGNOSIS[health][sex]))),
        }
    }

    /// The person of a row. A row has a generator of its own, so rows can be made in any order and on any thread.
    #[inline]
    pub(super) fn person(&self, row: u64) -> Person {
        let key = SplitMix64::seed_from_u64(self.base.wrapping_add(row)).next_u64();
        let mut bits = SplitMix64::seed_from_u64(key);
        let mut next = || bits.next_u64();

        let age = YOUNGEST + self.age.pick(next());
        let band = w::band(age);
        let sex = u32::from(below(next(), 1_000) < w::MEN[band]);
        let country = self.country.pick(next());
        let origin = w::origin(country);
        let education = self.education[w::phase(age)][usize::from(origin > 0)].pick(next());
        let level = w::level(education);
        let workclass = self.workclass[level][w::phase(age)].pick(next());
        let occupation = self.occupation[level][workclass as usize][sex as usize].pick(next());
        let more = w::EARN_MORE_BY_EDUCATION[education as usize]
            + w::EARN_MORE_BY_OCCUPATION[occupation as usize]
            + w::EARN_MORE_BY_BAND[band]
            + w::EARN_MORE_BY_SEX[sex as usize];
        let postcode = postcode(self.region[origin].pick(next()), self.town.pick(next()));

        let missing = |bits: u64| below(bits, 10_000) < w::MISSING_PER_10_000;
        // One question of the form asks for both, so who leaves out the employer leaves out the occupation.
        let no_work = missing(next());
        Person {
            age,
            workclass: if no_work { NO_WORKCLASS } else { workclass },
            education,
            marital_status: self.marital_status[band][sex as usize].pick(next()),
            occupation: if no_work || workclass == NEVER_EMPLOYED { NO_OCCUPATION } else { occupation },
            race: self.race[origin].pick(next()),
            sex,
            native_country: if missing(next()) { NO_COUNTRY } else { country },
            postcode,
            birth_date: birth_date(age, next()),
            diagnosis: self.diagnosis[w::health(band)][sex as usize].pick(next()),
            salary_class: u32::from((below(next(), 1_000) as i32) < more.clamp(4, 960)),
        }
    }
}

/// The weights times what leans on them, in tenths.
fn lean<const N: usize>(weights: &[u32; N], tenths: &[&[u32; N]]) -> Alias {
    Alias::new((0..N).map(|at| tenths.iter().fold(f64::from(weights[at]), |weight, lean| weight * f64::from(lean[at]))))
}

/// A whole number below the limit.
#[inline]
fn below(bits: u64, limit: u32) -> u32 {
    (((bits >> 32) * u64::from(limit)) >> 32) as u32
}

/// The number of a postcode: large towns lie anywhere in their region.
#[inline]
fn postcode(region: u32, rank: u32) -> u32 {
    // 387 has no divisor in common with 1,000, so every rank has its own place.
    region * POSTCODES_PER_REGION + (rank * 387 + region * 61) % POSTCODES_PER_REGION
}

/// A birth date of a person of this age on the reference day.
#[inline]
fn birth_date(age: u32, bits: u64) -> i32 {
    let last = first_of_july(REFERENCE_YEAR - age as i32);
    let first = first_of_july(REFERENCE_YEAR - age as i32 - 1) + 1;
    first + below(bits, (last - first + 1) as u32) as i32
}

/// Days from 1970-01-01 to the first of July of a year from 1901 to 2099.
#[inline]
pub(super) fn first_of_july(year: i32) -> i32 {
    let new_year = 365 * (year - 1970) + (year - 1969).div_euclid(4);
    new_year + if year % 4 == 0 { 182 } else { 181 }
}
