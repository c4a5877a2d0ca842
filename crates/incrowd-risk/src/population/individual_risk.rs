//! Risk of each person of a survey, from the weights of the rows.
//!
//! R. Benedetti and L. Franconi, "Statistical and technological solutions for controlled data dissemination", NTTS 1998;
//! L. Franconi and S. Polettini, "Individual risk estimation in µ-Argus: a review", Privacy in Statistical Databases 2004.
//! A class has f rows whose weights add up to F̂. The number F of people of the population with its values is taken
//! for negative binomial, given f, with success probability f / F̂. An attacker who knows that a person is in the
//! population, and not whether the person is in the sample, picks the right row with probability 1 / F, so the risk is
//! the mean of 1 / F:
//!
//! - r = ∫ u^(f−1) / (1 + cu) du over u from 0 to 1, with c = F̂/f − 1.
//!
//! This is the hypergeometric function of the papers after a substitution. Where F̂ is smaller than f, the sample is
//! taken for the population: r = 1 / f. Anyone who identifies one member of a household identifies all, so the risk of a
//! household is 1 − Π(1 − r) over its members.

use serde::Serialize;

/// The risks above which people are counted.
pub const RISK_THRESHOLDS: [f64; 4] = [0.05, 0.09, 0.2, 0.5];

/// The mean of 1 / F for a class of this many rows with this sum of weights.
///
/// ```
/// use incrowd_risk::population::individual_risk;
/// // One row that stands for 215 people.
/// assert!((individual_risk(1, 215.0) - 0.0251).abs() < 1e-4);
/// assert_eq!(individual_risk(4, 4.0), 0.25);
/// ```
pub fn individual_risk(rows: u64, weight: f64) -> f64 {
    /// From here on the series needs few terms, whatever c is.
    const MANY_ROWS: u64 = 40;
    if rows == 0 {
        return 0.0;
    }
    let c = (weight / rows as f64 - 1.0).max(0.0);
    if c < 1.0 || rows > MANY_ROWS {
        return series(rows as f64, c);
    }
    // I(1) = ln(1 + c) / c and I(f) = (1 / (f − 1) − I(f − 1)) / c, which does not enlarge errors for c ≥ 1.
    let first = c.ln_1p() / c;
    (2..=rows).fold(first, |before, f| (1.0 / (f - 1) as f64 - before) / c)
}

/// The same as the sum of j!·(c / (1 + c))^j / (f(f + 1)…(f + j)), divided by 1 + c. All terms are positive.
fn series(rows: f64, c: f64) -> f64 {
    let ratio = c / (1.0 + c);
    let (mut sum, mut term, mut j) = (0.0, 1.0 / rows, 0.0);
    while term > sum * 1e-17 {
        sum += term;
        j += 1.0;
        term *= ratio * j / (rows + j);
    }
    sum / (1.0 + c)
}

/// The least size of classes in which the risk is at most `max`, if no row has a smaller weight than `least_weight`.
///
/// The risk falls with the rows of a class and grows with their share f / F̂, which is at most 1 / `least_weight`: so no
/// class of that size or more has a larger risk.
///
/// ```
/// use incrowd_risk::population::{individual_risk, least_class_for_risk};
/// assert_eq!(least_class_for_risk(0.05, 1.0), 20);
/// let rows = least_class_for_risk(0.01, 50.0);
/// assert!(individual_risk(rows, 50.0 * rows as f64) <= 0.01);
/// assert!(individual_risk(rows - 1, 50.0 * (rows - 1) as f64) > 0.01);
/// ```
pub fn least_class_for_risk(max: f64, least_weight: f64) -> u64 {
    // A class of 1 / max rows has at most that risk, whatever its weights.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1")]
    let enough = (1.0 / max).ceil().max(1.0) as u64;
    let holds = |rows: &u64| individual_risk(*rows, least_weight * *rows as f64) <= max;
    (1..enough).find(holds).unwrap_or(enough)
}

/// Rows of one class and household that have one weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedRows {
    /// The class, numbered from 0.
    pub class: usize,
    /// How many rows.
    pub rows: u64,
    /// The weight of each.
    pub weight: f64,
    /// The household, numbered from 0, if households are known.
    pub household: Option<u32>,
}

/// The risk of the people of a survey.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurveyRisk {
    /// The sum of the weights: people of the population.
    pub population_size: f64,
    /// Rows divided by the sum of their weights.
    pub sampling_fraction: f64,
    /// The largest risk of a row.
    pub max_risk: f64,
    /// The mean risk of a row.
    pub mean_risk: f64,
    /// The sum of the risks: rows that an attacker who tries every row matches correctly, on average.
    pub expected_matches: f64,
    /// Rows with a risk above some thresholds.
    pub above: Vec<RowsAboveRisk>,
    /// The same with the risk of each row's household in place of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<HouseholdRisk>,
}

/// Rows whose risk is above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowsAboveRisk {
    /// The threshold.
    pub risk: f64,
    /// How many rows.
    pub rows: u64,
}

/// The risk of households.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HouseholdRisk {
    /// How many households.
    pub households: u64,
    /// The largest risk of a household.
    pub max_risk: f64,
    /// The mean over rows of the risk of their household.
    pub mean_risk: f64,
    /// Its sum over rows.
    pub expected_matches: f64,
    /// Rows whose household has a risk above some thresholds.
    pub above: Vec<RowsAboveRisk>,
}

impl SurveyRisk {
    /// The risks of rows, given by class, weight and household.
    pub fn of(survey: &[WeightedRows]) -> SurveyRisk {
        let classes = survey.iter().map(|part| part.class + 1).max().unwrap_or(0);
        let mut sums = vec![(0u64, 0.0); classes];
        for part in survey {
            sums[part.class].0 += part.rows;
            sums[part.class].1 += part.weight * part.rows as f64;
        }
        let risks: Vec<f64> = sums.iter().map(|&(rows, weight)| individual_risk(rows, weight)).collect();
        let of_rows = Tally::of(sums.iter().zip(&risks).map(|(&(rows, _), &risk)| (rows, risk)));
        let population_size: f64 = sums.iter().map(|&(_, weight)| weight).sum();
        SurveyRisk {
            population_size,
            sampling_fraction: if population_size > 0.0 { of_rows.rows / population_size } else { 0.0 },
            max_risk: of_rows.max,
            mean_risk: of_rows.mean(),
            expected_matches: of_rows.sum,
            above: of_rows.above,
            households: households(survey, &risks),
        }
    }
}

fn households(survey: &[WeightedRows], risks: &[f64]) -> Option<HouseholdRisk> {
    let numbered = |part: &WeightedRows| part.household.map(|household| household as usize);
    let count = survey.iter().filter_map(numbered).max()? + 1;
    let mut members = vec![(0u64, 1.0f64); count];
    for part in survey {
        let household = &mut members[numbered(part)?];
        household.0 += part.rows;
        household.1 *= (1.0 - risks[part.class]).powf(part.rows as f64);
    }
    let met = members.iter().filter(|&&(rows, _)| rows > 0);
    let tally = Tally::of(met.clone().map(|&(rows, none)| (rows, 1.0 - none)));
    Some(HouseholdRisk {
        households: met.count() as u64,
        max_risk: tally.max,
        mean_risk: tally.mean(),
        expected_matches: tally.sum,
        above: tally.above,
    })
}

/// Figures over rows with their risks.
struct Tally {
    rows: f64,
    max: f64,
    sum: f64,
    above: Vec<RowsAboveRisk>,
}

impl Tally {
    fn of(parts: impl Iterator<Item = (u64, f64)>) -> Tally {
        let above = RISK_THRESHOLDS.map(|risk| RowsAboveRisk { risk, rows: 0 }).to_vec();
        let mut tally = Tally { rows: 0.0, max: 0.0, sum: 0.0, above };
        for (rows, risk) in parts {
            tally.rows += rows as f64;
            tally.max = tally.max.max(risk);
            tally.sum += rows as f64 * risk;
            tally.above.iter_mut().filter(|above| risk > above.risk).for_each(|above| above.rows += rows);
        }
        tally
    }

    fn mean(&self) -> f64 {
        if self.rows > 0.0 { self.sum / self.rows } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral by Simpson's rule.
    fn integral(rows: u64, c: f64) -> f64 {
        const STEPS: u32 = 20_000;
        let f = |u: f64| u.powf(rows as f64 - 1.0) / (1.0 + c * u);
        let width = 1.0 / f64::from(STEPS);
        let inner = (1..STEPS).map(|step| if step % 2 == 1 { 4.0 } else { 2.0 } * f(f64::from(step) * width));
        (f(0.0) + f(1.0) + inner.sum::<f64>()) * width / 3.0
    }

    #[test]
    fn every_way_to_compute_it_is_the_integral() {
        for rows in [2, 3, 7, 39, 40, 41, 200] {
            for c in [0.0, 0.01, 0.5, 0.999, 1.0, 1.001, 4.0, 50.0] {
                let found = individual_risk(rows, rows as f64 * (1.0 + c));
                assert!((found - integral(rows, c)).abs() < 1e-9, "{rows} {c} {found} {}", integral(rows, c));
            }
        }
    }

    #[test]
    fn large_populations_and_classes_stay_exact() {
        // For one row −p·ln p / (1 − p) with p = 10⁻¹².
        assert!((individual_risk(1, 1e12) - 1e-12 * 1e12f64.ln()).abs() < 1e-22);
        // For two rows (p / q²)(q + p·ln p).
        let (p, q) = (1e-6f64, 1.0 - 1e-6);
        assert!((individual_risk(2, 2e6) / (p / (q * q) * (q + p * p.ln())) - 1.0).abs() < 1e-9);
        let many = individual_risk(1_000_000, 3e6);
        assert!((many * 3e6 - 1.0).abs() < 1e-5, "{many}");
    }

    /// The figures of sdcMicro's own tests (method "exact"; for f ≤ 2 they are those of its usual method too).
    #[test]
    fn the_figures_of_sdc_micro_are_met() {
        let weights = [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0];
        let classes = [0, 1, 0, 2, 3, 3, 4, 0];
        let printed = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297];
        for (at, printed) in printed.into_iter().enumerate() {
            let mine = |&(class, _): &(usize, f64)| class == classes[at];
            let all = classes.into_iter().zip(weights);
            let (rows, weight) = all.filter(mine).fold((0, 0.0), |(rows, sum), (_, weight)| (rows + 1, sum + weight));
            let found = individual_risk(rows, weight);
            assert!((found - printed).abs() < 5e-9, "{at}: {found} is not {printed}");
        }
        // Its approximation for more than two rows, p / (f − q), is close.
        let p = 3.0 / 108.0;
        assert!((p / (3.0 - (1.0 - p)) - 0.01369863f64).abs() < 5e-9);
    }

    /// Ten rows of "Statistical disclosure control: a practice guide", table 4.1: risks and their mean 0.01582.
    #[test]
    fn the_figures_of_the_practice_guide_are_met() {
        let rows = [(0, 180.0), (0, 180.0), (1, 215.0), (2, 76.0), (3, 186.0), (2, 76.0), (4, 180.0), (5, 215.0)];
        let rows = rows.into_iter().chain([(6, 186.0), (6, 76.0)]);
        let survey: Vec<WeightedRows> =
            rows.map(|(class, weight)| WeightedRows { class, rows: 1, weight, household: None }).collect();
        let found = SurveyRisk::of(&survey);
        assert!((found.mean_risk - 0.01582).abs() < 5e-6, "{}", found.mean_risk);
        assert!((individual_risk(2, 360.0) - 0.0054).abs() < 5e-5);
        assert!((individual_risk(1, 215.0) - 0.0251).abs() < 5e-5);
        assert!((individual_risk(2, 262.0) - 0.0074).abs() < 5e-5);
        assert_eq!((found.population_size, found.above[1].rows), (1_570.0, 0));
    }

    #[test]
    fn a_household_is_found_with_any_of_its_members() {
        let rows = [(0, 0), (1, 0), (2, 1)];
        let survey = rows.map(|(class, household)| WeightedRows {
            class,
            rows: 1,
            weight: 1.0 + class as f64,
            household: Some(household),
        });
        let found = SurveyRisk::of(&survey);
        let (second, third) = (individual_risk(1, 2.0), individual_risk(1, 3.0));
        let households = found.households.expect("households are known");
        assert_eq!((households.households, households.max_risk, found.max_risk), (2, 1.0, 1.0));
        assert!((households.expected_matches - (2.0 + third)).abs() < 1e-12);
        assert!((found.expected_matches - (1.0 + second + third)).abs() < 1e-12);
    }
}
