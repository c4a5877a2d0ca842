//! Solver, verifier and a literal oracle on generated samples of generated populations.
//!
//! ```console
//! $ INCROWD_POPULATION_CASES=20000 cargo nextest run --test population --no-capture
//! ```
//!
//! runs that number of cases (150 without the variable) and prints what came of them. The oracle reads the published
//! file, the population and the file of towns as texts and shares no code with the program.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod population {
    pub(crate) mod case;
    pub(crate) mod oracle;
}

use incrowd::{Engine, ReadOptions, Settings, Source, VerifyOptions, anonymize, verify};
use incrowd_verify::{Manifest, Options, PopulationTable, verify_staged};
use population::case::Case;
use population::oracle::Oracle;

/// What came of the cases.
#[derive(Debug, Default)]
struct Outcomes {
    released: usize,
    not_in_population: usize,
    infeasible: usize,
    verdicts: usize,
    verdicts_against: usize,
}

#[test]
fn solver_verifier_and_oracle_agree() {
    let cases = std::env::var("INCROWD_POPULATION_CASES").map_or(150, |cases| cases.parse().unwrap());
    let mut outcomes = Outcomes::default();
    for number in 0..cases {
        let folder = tempfile::tempdir().unwrap();
        run(&Case::draw(number), number, folder.path(), &mut outcomes);
    }
    println!("{cases} cases: {outcomes:?}");
    assert!(outcomes.released > 0 && outcomes.not_in_population > 0 && outcomes.infeasible > 0);
    assert!(outcomes.verdicts_against > 0 && outcomes.verdicts_against < outcomes.verdicts);
}

fn run(case: &Case, number: u64, folder: &std::path::Path, outcomes: &mut Outcomes) {
    case.write(folder);
    let engine = Engine::new(&Settings { threads: Some(1), ..Settings::default() }).unwrap();
    let source = folder.join("sample.csv");
    let source = Source::open(&engine, source.to_str().unwrap(), ReadOptions::default()).unwrap();
    let release = folder.join("release");
    let oracle = Oracle::new(case);
    let answer = anonymize(&engine, &source, &case.options(folder), &release);
    match answer {
        Ok(_) => {}
        Err(error) if error.code() == "IC550" => {
            assert!(oracle.rows_without_person() > 0, "case {number}: {error}");
            outcomes.not_in_population += 1;
            return;
        }
        Err(error) => {
            assert!(["IC601", "IC625"].contains(&error.code()), "case {number}: {error}");
            assert!(error.code() == "IC625" || oracle.is_infeasible(&case.asked), "case {number}: {error}");
            outcomes.infeasible += 1;
            return;
        }
    }
    outcomes.released += 1;
    let classes = oracle.classes(&release);
    assert!(oracle.keeps(&classes, &case.asked), "case {number}: the oracle refutes the release");
    let population = Some(folder.join("population.csv"));
    let verdict = verify(&release, &VerifyOptions { population, ..VerifyOptions::default() }).unwrap();
    assert!(verdict.verified && verdict.not_checked.is_empty(), "case {number}: {:?}", verdict.faults);
    let without = verify(&release, &VerifyOptions::default()).unwrap();
    assert!(without.verified && without.not_checked.len() == 1 && without.models.len() == verdict.models.len() - 1);
    judge_otherwise(case, number, folder, &classes, outcomes);
}

/// The same release with other parameters: the verifier says what the oracle says.
fn judge_otherwise(
    case: &Case,
    number: u64,
    folder: &std::path::Path,
    classes: &[(Vec<String>, u64)],
    outcomes: &mut Outcomes,
) {
    let (oracle, release) = (Oracle::new(case), folder.join("release"));
    let mut manifest = Manifest::read(&release).unwrap();
    for asked in case.asked.others() {
        manifest.policy.models.retain(|rule| rule.model == "k-anonymity");
        manifest.policy.models.push(serde_json::from_value(asked.rule()).unwrap());
        let population =
            Some(PopulationTable { table: case.as_verifier_reads_it(folder), count_column: case.count_column() });
        let verdict = verify_staged(&release, &manifest, &Options { population, ..Options::default() }).unwrap();
        let expected = oracle.keeps(classes, &asked);
        assert_eq!(verdict.models.last().unwrap().holds, expected, "case {number}: {asked:?}");
        outcomes.verdicts += 1;
        outcomes.verdicts_against += usize::from(!expected);
    }
}
