//! What `auto` loses and what is proven, against time, on the tables of `benchmarks/least_loss.py`.
//!
//! Usage: `least_loss auto|bound arx|adult|nursery|FILE:HIERARCHIES K [--seconds S] [--effort TIMES] [--threads N]
//! [--until RATIO] [--memory MIB]`, with FILE by `incrowd sample`, and HIERARCHIES the beginning of the paths of the hierarchies of its columns.
//! Prints a line for each better loss or bound: seconds, CPU seconds of all threads, what it is, and LM. Without seconds
//! and effort, normal effort.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/records/tables.rs"]
#[allow(dead_code)]
mod tables;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, Budget, Effort, Problem, lower_bound};
use incrowd_core::{Lm, Measures, Policy, Progress, Recoding, Stage, Watch};

/// The columns of a table of `incrowd sample`.
const CENSUS: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

/// The CPU seconds of this process so far, where the system tells them in hundredths.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    words.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Prints what is better than what was printed before.
struct Printed {
    began: Instant,
    /// The least loss and the largest bound so far.
    best: Mutex<(f64, f64)>,
}

impl Progress for Printed {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {}

    fn found_loss(&self, loss: f64) {
        let mut best = self.best.lock().unwrap();
        if loss < best.0 {
            best.0 = loss;
            println!("{:.2}\t{:.2}\tloss\t{loss:.6}", self.began.elapsed().as_secs_f64(), cpu());
        }
    }

    fn found_bound(&self, bound: f64) {
        let mut best = self.best.lock().unwrap();
        if bound > best.1 {
            best.1 = bound;
            println!("{:.2}\t{:.2}\tbound\t{bound:.6}", self.began.elapsed().as_secs_f64(), cpu());
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| -> Option<f64> {
        let at = words.iter().position(|word| word == name)?;
        Some(words[at + 1].parse().unwrap())
    };
    let k: u64 = words[2].parse().unwrap();
    let (table, quasi) = match words[1].as_str() {
        "arx" => tables::arx(),
        "adult" => tables::adult(&tables::ADULT),
        "nursery" => tables::nursery(),
        census => {
            let (file, hierarchies) = census.split_once(':').unwrap();
            tables::table(file, b',', &CENSUS, hierarchies)
        }
    };
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
    let began = Instant::now();
    let seconds = option("--seconds");
    let times = option("--effort").or(seconds.is_none().then_some(1.0)).map(|times| Effort::of(times).unwrap());
    let budget = Budget {
        deadline: seconds.map(|seconds| began + Duration::from_secs_f64(seconds)),
        effort: times.map(|times| times.units(table.tuples() as u64)),
        until: option("--until"),
        threads: option("--threads").map(|threads| threads as usize),
        memory: option("--memory").map(|mebibytes| (mebibytes * 1048576.0) as u64),
        watch: Watch {
            progress: Arc::new(Printed { began, best: Mutex::new((f64::INFINITY, 0.0)) }),
            ..Watch::default()
        },
        ..Budget::default()
    };
    let ended = || format!("{:.2}\t{:.2}\tend", began.elapsed().as_secs_f64(), cpu());
    if words[0] == "auto" {
        let solution = AlgorithmEntry::find("auto").unwrap().solve(&problem, &budget).unwrap();
        let recoding = Recoding::tightened(&table, &quasi, &solution.partition);
        let lm = Measures::of(&table, &quasi, &solution.partition, &recoding, k).lm;
        let bound = solution.bound.map_or(0.0, |bound| bound.best);
        let work = solution.statistics.work.unwrap_or(0);
        println!("{}\t{lm:.6}\tbound {bound:.6}\tratio {:.4}\twork {work}", ended(), lm / bound);
    } else {
        let bound = lower_bound(&problem, k, None, &budget).unwrap().unwrap();
        println!("{}\t{:.6}\trow by row {:.6}", ended(), bound.best, bound.row_by_row);
    }
}
