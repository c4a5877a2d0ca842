//! How far the estimates about a population are from the truth: samples are drawn from a made-up census whose answer is
//! known. Prints the tables of benchmarks/population.md.
//!
//! `cargo run --release -p incrowd-risk --example population -- [PEOPLE] [DRAWS]`

use std::io::Write;

use incrowd_core::{Attribute, ClassSizes, ColumnSet, Dictionary, FrequencyTable, Role, Values, Watch};
use incrowd_risk::population::{
    LogLinearRisk, PopulationUniqueness, UniquenessModel, individual_risk, population_uniqueness,
};

/// The shares of the population that are drawn.
const FRACTIONS: [f64; 5] = [0.005, 0.01, 0.05, 0.1, 0.5];

fn main() -> std::io::Result<()> {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let people = numbers.next().unwrap_or(10_000_000);
    let draws = numbers.next().unwrap_or(100);
    let mut out = std::io::stdout();
    for (name, columns) in CENSUSES {
        let census = Census::new(people, columns);
        let uniqueness = census.uniques() as f64 / people as f64;
        writeln!(out, "\n### {name}\n")?;
        writeln!(
            out,
            "{} combinations of values; {:.3} % of the people are unique.\n",
            census.sizes.len(),
            100.0 * uniqueness
        )?;
        uniqueness_table(&mut out, &census, people, draws)?;
        matches_table(&mut out, &census, people, draws)?;
    }
    Ok(())
}

/// The most combinations of values for which log-linear models are fitted here.
const MOST_CELLS: u64 = 1 << 22;

/// The censuses by their columns: for each the number of values, 0 if it is left out.
const CENSUSES: [(&str, [u64; 7]); 4] = [
    ("A: age in decades, sex, 10 regions, 12 occupations, marital status", [10, 2, 10, 12, 5, 0, 0]),
    ("B: age, sex, 40 regions, marital status, 12 origins", [100, 2, 40, 0, 5, 12, 0]),
    ("C: age, sex, 400 regions, marital status, 60 origins", [100, 2, 400, 0, 5, 60, 0]),
    ("D: age, sex, 400 regions, 120 occupations, marital status, origin, children", [100, 2, 400, 120, 5, 60, 8]),
];

/// Numbers that look random and are the same in every run.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let one = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let two = (one ^ one >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        two ^ two >> 31
    }

    /// A number from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A value below `values`, the first ones more often the larger the power is.
    fn skewed(&mut self, values: u64, power: i32) -> u64 {
        ((self.unit().powi(power) * values as f64) as u64).min(values - 1)
    }
}

/// A population by its classes.
struct Census {
    levels: Vec<u64>,
    /// The combination of each class, as one number.
    keys: Vec<u64>,
    sizes: Vec<u32>,
}

impl Census {
    fn new(people: usize, columns: [u64; 7]) -> Census {
        let mut draw = Draw(42);
        let mut keys: Vec<u64> = (0..people).map(|_| key(&person(&mut draw), columns)).collect();
        keys.sort_unstable();
        let classes = keys.chunk_by(|a, b| a == b);
        let (keys, sizes) = classes.map(|class| (class[0], class.len() as u32)).unzip();
        Census { levels: columns.into_iter().filter(|&levels| levels > 0).collect(), keys, sizes }
    }

    fn uniques(&self) -> usize {
        self.sizes.iter().filter(|&&size| size == 1).count()
    }

    /// For each class the number of its people in a simple random sample without replacement.
    fn sample(&self, people: usize, fraction: f64, draw: &mut Draw) -> Vec<u32> {
        let (mut left, mut needed) = (people as f64, (people as f64 * fraction).round());
        let mut drawn = |size: u32| {
            let mut rows = 0;
            for _ in 0..size {
                if draw.unit() * left < needed {
                    rows += 1;
                    needed -= 1.0;
                }
                left -= 1.0;
            }
            rows
        };
        self.sizes.iter().map(|&size| drawn(size)).collect()
    }

    /// The sample as a table.
    fn table(&self, sample: &[u32]) -> FrequencyTable {
        let attribute = |(at, &levels): (usize, &u64)| {
            let dictionary = Dictionary::new(Values::Integers((0..levels as i64).collect()), false);
            Attribute::new(format!("c{at}"), Role::QuasiIdentifier, dictionary)
        };
        let codes = |mut key: u64| {
            let mut codes = vec![0; self.levels.len()];
            for (code, levels) in codes.iter_mut().zip(&self.levels).rev() {
                (*code, key) = ((key % levels) as u32, key / levels);
            }
            codes
        };
        let met = self.keys.iter().zip(sample).filter(|&(_, &count)| count > 0);
        let tuples = met.map(|(&key, &count)| (codes(key), u64::from(count)));
        FrequencyTable::from_tuples(self.levels.iter().enumerate().map(attribute).collect(), tuples)
    }
}

/// Age, sex, region, occupation, marital status, origin and number of children; the later ones depend on the age.
fn person(draw: &mut Draw) -> [u64; 7] {
    let age = (100.0 * (1.0 - (1.0 - draw.unit()).sqrt())) as u64;
    let region = draw.skewed(400, 2);
    let works = (16..68).contains(&age);
    let occupation = if works { 2 + draw.skewed(118, 3) } else { u64::from(age >= 68) };
    let marital = if age < 18 { 0 } else { (draw.skewed(5, 1) + age / 30).min(4) };
    let children = if age < 18 { 0 } else { draw.skewed(8, 3) };
    // Some regions have people of many origins.
    let origin = if region.is_multiple_of(10) { draw.skewed(60, 3) } else { draw.skewed(60, 8) };
    [age, draw.bits() % 2, region, occupation, marital, origin, children]
}

/// A person by coarser values, as one number.
fn key(person: &[u64; 7], columns: [u64; 7]) -> u64 {
    const FULL: [u64; 7] = [100, 2, 400, 120, 5, 60, 8];
    let kept = person.iter().zip(columns).zip(FULL).filter(|((_, levels), _)| *levels > 0);
    kept.fold(0, |key, ((value, levels), full)| key * levels + value * levels / full)
}

/// What was found over many draws.
#[derive(Default)]
struct Errors {
    errors: Vec<f64>,
    covered: usize,
    intervals: usize,
}

impl Errors {
    fn add(&mut self, estimate: f64, truth: f64, interval: Option<(f64, f64)>) {
        self.errors.push(estimate - truth);
        if let Some((low, high)) = interval {
            self.intervals += 1;
            self.covered += usize::from((low..=high).contains(&truth));
        }
    }

    /// The mean error and the root of the mean square error.
    fn bias_and_rmse(&self) -> (f64, f64) {
        let count = self.errors.len().max(1) as f64;
        let squares: f64 = self.errors.iter().map(|error| error * error).sum();
        (self.errors.iter().sum::<f64>() / count, (squares / count).sqrt())
    }
}

fn uniqueness_table(out: &mut impl Write, census: &Census, people: usize, draws: usize) -> std::io::Result<()> {
    writeln!(
        out,
        "| sampling fraction | estimator | draws with an estimate | mean estimate | bias | RMSE | interval covers |"
    )?;
    writeln!(out, "| ---: | --- | ---: | ---: | ---: | ---: | ---: |")?;
    let truth = census.uniques() as f64 / people as f64;
    for fraction in FRACTIONS {
        let mut draw = Draw((fraction * 1e6) as u64);
        let mut found: [Errors; 4] = Default::default();
        for _ in 0..draws {
            let sample = census.sample(people, fraction, &mut draw);
            let sizes = ClassSizes::from_sizes(sample.iter().filter(|&&rows| rows > 0).map(|&rows| u64::from(rows)));
            let answer = population_uniqueness(&sizes, people as u64);
            let models = UniquenessModel::ALL.map(Some).into_iter().chain([answer.chosen]);
            for (errors, model) in found.iter_mut().zip(models) {
                add(errors, &answer, model, truth);
            }
        }
        for (errors, name) in found.iter().zip(["Zayatz", "Pitman", "SNB", "Dankar's rule"]) {
            let (bias, rmse) = errors.bias_and_rmse();
            let count = errors.errors.len();
            let percent = |share: f64| format!("{:.3} %", 100.0 * share);
            let (mean, bias, rmse, covers) = match count {
                0 => ("–".into(), "–".into(), "–".into(), "–".into()),
                _ => (
                    percent(truth + bias),
                    percent(bias),
                    percent(rmse),
                    format!("{:.0} %", 100.0 * errors.covered as f64 / errors.intervals.max(1) as f64),
                ),
            };
            writeln!(out, "| {fraction} | {name} | {count} of {draws} | {mean} | {bias} | {rmse} | {covers} |")?;
        }
    }
    Ok(())
}

fn add(errors: &mut Errors, answer: &PopulationUniqueness, model: Option<UniquenessModel>, truth: f64) {
    let estimate = answer.estimates.iter().find(|estimate| Some(estimate.model) == model);
    if let Some((uniqueness, estimate)) = estimate.and_then(|one| Some((one.uniqueness?, one))) {
        errors.add(uniqueness, truth, estimate.low.zip(estimate.high));
    }
}

/// Correct matches: by the individual risk with equal weights over all rows, and by log-linear models over unique rows.
fn matches_table(out: &mut impl Write, census: &Census, people: usize, draws: usize) -> std::io::Result<()> {
    writeln!(out, "\n| sampling fraction | figure | draws with an estimate | mean truth | bias | RMSE |")?;
    writeln!(out, "| ---: | --- | ---: | ---: | ---: | ---: |")?;
    let cells: u64 = census.levels.iter().product();
    // Fits take longer, so there are fewer of them.
    let draws = draws.div_ceil(if (1 << 17..=MOST_CELLS).contains(&cells) { 20 } else { 5 });
    for fraction in FRACTIONS {
        let mut draw = Draw((fraction * 1e7) as u64);
        let mut found: [(Errors, f64); 3] = Default::default();
        for _ in 0..draws {
            let sample = census.sample(people, fraction, &mut draw);
            let met = || census.sizes.iter().zip(&sample).filter(|&(_, &rows)| rows > 0);
            let unique = || met().filter(|&(_, &rows)| rows == 1);
            let of_rows = |&rows: &u32| f64::from(rows) * individual_risk(rows.into(), f64::from(rows) / fraction);
            let individual: f64 = met().map(|(_, rows)| of_rows(rows)).sum();
            let truths = [
                met().map(|(&size, &rows)| f64::from(rows) / f64::from(size)).sum::<f64>(),
                unique().filter(|&(&size, _)| size == 1).count() as f64,
                unique().map(|(&size, _)| 1.0 / f64::from(size)).sum(),
            ];
            found[0].0.add(individual, truths[0], None);
            if cells <= MOST_CELLS {
                let columns = ColumnSet::first(census.levels.len());
                let table = census.table(&sample);
                let fitted = LogLinearRisk::of(&table, columns, fraction, MOST_CELLS as usize, &Watch::default());
                if let Some(chosen) = fitted.as_ref().ok().and_then(LogLinearRisk::chosen_model) {
                    found[1].0.add(chosen.tau1, truths[1], None);
                    found[2].0.add(chosen.tau2, truths[2], None);
                }
            }
            found.iter_mut().zip(truths).for_each(|((_, sum), truth)| *sum += truth / draws as f64);
        }
        let names = ["matches of all rows, individual risk", "τ₁, log-linear", "τ₂, log-linear"];
        for ((errors, truth), name) in found.iter().zip(names) {
            let (bias, rmse) = errors.bias_and_rmse();
            let count = errors.errors.len();
            let figures = if count == 0 { "– | –".into() } else { format!("{bias:.1} | {rmse:.1}") };
            writeln!(out, "| {fraction} | {name} | {count} of {draws} | {truth:.1} | {figures} |")?;
        }
    }
    Ok(())
}
