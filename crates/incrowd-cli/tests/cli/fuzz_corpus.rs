//! What fuzzing found, replayed without libFuzzer: every file of `fuzz/corpus` is given to the target of its folder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[path = "../../../../fuzz/targets/mod.rs"]
mod targets;

/// A file that takes longer is a fault. libFuzzer's limit is 10 s in an optimized build.
const LONGEST: Duration = Duration::from_secs(20);

/// Panics that nobody catches, also of other threads.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|_| panic!("{} is there", folder.display()));
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_target_of_the_fuzzer_has_a_corpus_and_every_corpus_a_target() {
    let mut targets: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    targets.sort_unstable();
    assert_eq!(names(&corpus()), targets);
    for target in targets {
        assert!(!names(&corpus().join(target)).is_empty(), "{target}");
    }
}

/// Gives bytes to a target: whether they were accepted; the panics that nobody caught, and the time if it was too long.
fn faults_of(read: targets::FuzzTarget, bytes: &[u8]) -> (bool, Vec<String>) {
    let begun = Instant::now();
    let accepted = catch_unwind(AssertUnwindSafe(|| read(bytes))).unwrap_or_default();
    let mut faults = std::mem::take(&mut *PANICS.lock().unwrap());
    if begun.elapsed() > LONGEST {
        faults.push(format!("took {} s", begun.elapsed().as_secs()));
    }
    (accepted, faults)
}

fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        if !incrowd::panic_is_caught() {
            PANICS.lock().unwrap().push(info.to_string());
        }
    }));
}

#[test]
fn no_file_of_the_corpora_of_the_fuzzer_makes_a_fault_and_each_target_accepts_some() {
    note_panics();
    let mut faults = Vec::new();
    for (target, read) in targets::TARGETS {
        let mut accepted = 0;
        for name in names(&corpus().join(target)) {
            let bytes = std::fs::read(corpus().join(target).join(&name)).unwrap();
            let (is_accepted, found) = faults_of(*read, &bytes);
            accepted += usize::from(is_accepted);
            faults.extend(found.iter().map(|fault| format!("{target}/{name}: {fault}")));
        }
        // A target that refuses all that it is given tests little more than its first lines.
        if accepted == 0 {
            faults.push(format!("{target} accepts no file of its corpus"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Numbers in no order, the same in every run with one seed.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, limit: usize) -> usize {
        // Marsaglia, Xorshift RNGs, 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

/// A file with a few changes: bytes, stretches that are removed or doubled, and stretches of another file.
fn changed(bytes: &[u8], other: &[u8], drawn: &mut Drawn) -> Vec<u8> {
    let mut made = bytes.to_vec();
    for _ in 0..1 + drawn.below(6) {
        let at = drawn.below(made.len());
        let end = (at + 1 + drawn.below(16)).min(made.len());
        match drawn.below(6) {
            _ if made.is_empty() => made.push(b'0'),
            0 => made[at] ^= 1 << drawn.below(8),
            1 => made[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b','][drawn.below(8)],
            2 => drop(made.drain(at..end)),
            3 => made.extend_from_within(at..end),
            4 => made[at..end].fill([0, 0xff][drawn.below(2)]),
            _ => {
                let from = drawn.below(other.len());
                let to = (from + 1 + drawn.below(64)).min(other.len());
                made.splice(at..at, other.get(from..to).unwrap_or_default().iter().copied());
            }
        }
    }
    made
}

/// Fuzzing without coverage: `INCROWD_FUZZ_SECONDS` for each target of `INCROWD_FUZZ`, all when left out. What makes a fault
/// is written to `INCROWD_FUZZ_FOUND`. Prints how many files were tried.
#[test]
#[ignore = "takes as long as it is given"]
fn no_changed_file_of_the_corpora_of_the_fuzzer_makes_a_fault() {
    let word = |name: &str| std::env::var(name).ok();
    let seconds = word("INCROWD_FUZZ_SECONDS").and_then(|text| text.parse().ok()).unwrap_or(5);
    let chosen = word("INCROWD_FUZZ");
    let is_chosen = |name: &str| chosen.as_ref().is_none_or(|chosen| chosen.split(',').any(|one| one == name));
    let mut drawn = Drawn(word("INCROWD_FUZZ_SEED").and_then(|text| text.parse().ok()).unwrap_or(1));
    note_panics();
    let mut found = Vec::new();
    for (target, read) in targets::TARGETS.iter().filter(|(name, _)| is_chosen(name)) {
        let folder = corpus().join(target);
        let files: Vec<Vec<u8>> = names(&folder).iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect();
        let (begun, mut tried) = (Instant::now(), 0);
        while begun.elapsed() < Duration::from_secs(seconds) {
            let [one, other] = [0, 1].map(|_| drawn.below(files.len()));
            let bytes = changed(&files[one], &files[other], &mut drawn);
            let (_, faults) = faults_of(*read, &bytes);
            tried += 1;
            if !faults.is_empty() {
                if let Some(place) = word("INCROWD_FUZZ_FOUND") {
                    std::fs::write(Path::new(&place).join(format!("{target}-{}", found.len())), &bytes).unwrap();
                }
                found.extend(faults.iter().map(|fault| format!("{target}: {fault}")));
            }
        }
        #[expect(clippy::print_stderr, reason = "how many files were tried is the result")]
        {
            eprintln!("{target} {tried}");
        }
    }
    let _ = std::panic::take_hook();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
