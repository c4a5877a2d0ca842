//! Whatever is done to a release or its record afterwards, no command answers from it.

use std::path::Path;

use incrowd_cli::definition;
use sha2::{Digest, Sha256};

use super::support::{Desk, Run};

/// Every command that reads a release, run on `one`; `other` is a release that was not changed.
const COMMANDS: &[&[&str]] = &[
    &["verify", "one"],
    &["query", "one", "SELECT COUNT(*)"],
    &["attack", "one"],
    &["compare", "people.csv", "one"],
    &["report", "one", "-o", "pages"],
    &["report", "one", "-o", "pages", "--verify", "--force"],
    &["explain", "one"],
];

/// Other ways into the same commands, asked after one tampering in four.
const LONGER: &[&[&str]] = &[
    &["verify", "one", "--against", "people.csv"],
    &["query", "one", "SELECT COUNT(*) WHERE age > 40", "--against", "people.csv"],
    &["attack", "one", "--against", "people.csv"],
    &["attack", "other", "--against", "people.csv", "--also", "one"],
    &["compare", "people.csv", "other", "one"],
    &["report", "one", "-o", "pages", "--against", "people.csv", "--force"],
];

/// The arguments that name a release: each has a line in [`COMMANDS`], or a reason not to.
const RELEASE_ARGUMENTS: &[(&str, &str)] = &[
    ("verify", "release"),
    ("query", "release"),
    ("attack", "release"),
    ("attack", "also"),
    ("compare", "releases"),
    ("report", "release"),
    ("explain", "what"),
    // `a_release_that_was_changed_is_answered_from_by_no_route` of the workbench asks it.
    ("open", "what"),
    // Only the record is read; `a_changed_record_is_not_repeated` asks it.
    ("anonymize", "repeat"),
];

type Tampering = (&'static str, fn(&Path));

const TAMPERINGS: &[Tampering] = &[
    ("a byte of the data flipped", |desk| {
        let mut bytes = std::fs::read(desk.join("one/data.csv")).unwrap();
        let last = bytes.len() - 2;
        bytes[last] ^= 1;
        std::fs::write(desk.join("one/data.csv"), bytes).unwrap();
    }),
    ("a row removed", |desk| {
        let text = std::fs::read_to_string(desk.join("one/data.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        std::fs::write(desk.join("one/data.csv"), lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    }),
    ("a row removed, checksum and seal renewed", |desk| {
        let text = std::fs::read_to_string(desk.join("one/data.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        std::fs::write(desk.join("one/data.csv"), lines[..lines.len() - 1].join("\n") + "\n").unwrap();
        reseal(desk, |_| {});
    }),
    ("a file added", |desk| std::fs::write(desk.join("one/data2.csv"), "age\n30\n").unwrap()),
    ("the data removed", |desk| std::fs::remove_file(desk.join("one/data.csv")).unwrap()),
    ("the manifest edited", |desk| {
        edit(&desk.join("one/manifest.json"), "\"suppressed_rows\": 0", "\"suppressed_rows\": 1");
    }),
    ("the manifest edited and sealed again", |desk| reseal(desk, |manifest| manifest["version"] = "9.9.9".into())),
    ("the manifest cut", |desk| {
        let text = std::fs::read_to_string(desk.join("one/manifest.json")).unwrap();
        std::fs::write(desk.join("one/manifest.json"), &text[..text.len() / 2]).unwrap();
    }),
    ("a file name that leads out of the folder", |desk| outside(desk, "../evil.csv")),
    ("a file name that is absolute", |desk| outside(desk, desk.join("evil.csv").to_str().unwrap())),
    ("the data a link to another file", |desk| {
        std::fs::rename(desk.join("one/data.csv"), desk.join("evil.csv")).unwrap();
        std::os::unix::fs::symlink("../evil.csv", desk.join("one/data.csv")).unwrap();
    }),
    ("the manifest a link to another file", |desk| {
        std::fs::rename(desk.join("one/manifest.json"), desk.join("evil.json")).unwrap();
        std::os::unix::fs::symlink("../evil.json", desk.join("one/manifest.json")).unwrap();
    }),
    ("the report page edited", |desk| edit(&desk.join("one/report.html"), "<html", "<HTML")),
    ("the record edited", |desk| edit(&desk.join("one.internal/record.json"), "\"age\"", "\"sex\"")),
    ("a hierarchy of the record edited", |desk| edit(&desk.join("one.internal/hierarchies/1-age.csv"), ";", ";;")),
    ("a hierarchy of the record removed", |desk| {
        std::fs::remove_file(desk.join("one.internal/hierarchies/1-age.csv")).unwrap();
    }),
    ("the dossier of the record edited", |desk| edit(&desk.join("one.internal/dossier.json"), "0.", "1.")),
    ("the list of the record removed", |desk| std::fs::remove_file(desk.join("one.internal/contents.json")).unwrap()),
    ("the record of another release", |desk| {
        std::fs::remove_dir_all(desk.join("one.internal")).unwrap();
        std::fs::rename(desk.join("other.internal"), desk.join("one.internal")).unwrap();
    }),
];

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: {from}", path.display());
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Changes the manifest and seals it again, with the checksums of the files as they are.
fn reseal(desk: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = desk.join("one/manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    let name = manifest["files"][0]["name"].as_str().unwrap().to_owned();
    let bytes = std::fs::read(desk.join("one").join(name)).unwrap();
    manifest["files"][0]["bytes"] = bytes.len().into();
    manifest["files"][0]["sha256"] = hex(&bytes).into();
    let zeros = "0".repeat(64);
    manifest["seal"] = zeros.clone().into();
    let text = serde_json::to_string_pretty(&manifest).unwrap();
    let seal = hex(text.as_bytes());
    let at = text.rfind(&zeros).unwrap();
    std::fs::write(path, format!("{}{seal}{}", &text[..at], &text[at + 64..])).unwrap();
}

/// A sealed manifest that names the data, moved out of the folder, by `name`.
fn outside(desk: &Path, name: &str) {
    std::fs::rename(desk.join("one/data.csv"), desk.join("evil.csv")).unwrap();
    reseal(desk, |manifest| manifest["files"][0]["name"] = name.into());
}

/// Two releases of one table.
fn releases() -> Desk {
    let mut people = String::from("age,sex,illness\n");
    for row in 0..60u64 {
        let (age, illness) = (20 + row * 7 % 40, ["flu", "cold", "gout"][(row % 3) as usize]);
        people += &format!("{age},{},{illness}\n", ["f", "m"][(row / 3 % 2) as usize]);
    }
    let desk = Desk::with("people.csv", people);
    for name in ["one", "other"] {
        let roles = ["--qi", "age,sex", "--sensitive", "illness", "--rows-are-people"];
        let asked = ["anonymize", "people.csv", "--k", "5", "-o", name, "--quiet", "--no-bound", "--seed", "1"];
        let run = desk.run(&[&asked[..], &roles[..]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    desk
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if path.is_dir() {
            copied(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn no_command_reads_a_release_or_a_record_that_was_changed() {
    let honest = releases();
    for words in COMMANDS.iter().chain(LONGER) {
        let run = honest.run(words);
        assert!(matches!(run.code, Some(0 | 1)) && !run.stderr.contains("IC6"), "{words:?}: {run:?}");
    }
    std::fs::remove_dir_all(honest.path("pages")).unwrap();
    for (at, (what, tamper)) in TAMPERINGS.iter().enumerate() {
        let desk = Desk::new();
        copied(&honest.folder(), &desk.folder());
        tamper(&desk.folder());
        let longer = if at % 4 == 0 { LONGER } else { &[] };
        for words in COMMANDS.iter().chain(longer) {
            let Run { code, stdout, stderr } = desk.run(words);
            let refused = match words[0] {
                // The verifier lists what is wrong with a release, and refuses a record.
                "verify" => code == Some(1) && stdout.starts_with("not accepted: ") || stderr.contains("IC6"),
                _ => code == Some(2) && stderr.contains("IC6") && stdout.is_empty(),
            };
            assert!(refused && code != Some(0), "{what}: {words:?} ended with {code:?}\n{stdout}{stderr}");
            assert!(!desk.path("pages").exists(), "{what}: {words:?} wrote a report");
        }
    }
}

#[test]
fn a_changed_record_is_not_repeated() {
    let desk = releases();
    let roles = ["--qi", "age,sex", "--sensitive", "illness", "--rows-are-people", "--no-bound", "--quiet"];
    let asked = ["anonymize", "people.csv", "--k", "5", "-o", "again", "--repeat", "one.internal"];
    edit(&desk.path("one.internal/record.json"), "\"seed\": 1", "\"seed\": 2");
    for named in ["one.internal", "one", "one.internal/record.json"] {
        let run = desk.run(&[&asked[..7], &[named], &roles[..]].concat());
        assert!(run.code == Some(2) && run.stderr.contains("IC631]"), "{named}: {run:?}");
        assert!(!desk.path("again").exists() && !desk.path("again.internal").exists());
    }
}

#[test]
fn every_argument_that_names_a_release_is_tested() {
    for command in definition().get_subcommands() {
        for argument in command.get_arguments() {
            let (name, id) = (command.get_name(), argument.get_id().as_str());
            let help = argument.get_help().map(|help| help.to_string().to_lowercase()).unwrap_or_default();
            let takes_path = argument.get_value_parser().type_id() == std::any::TypeId::of::<std::path::PathBuf>();
            let no_release =
                ["output", "folder", "record", "ledger", "lineage", "against", "original", "plan"].contains(&id);
            if (takes_path || argument.is_positional()) && help.contains("release") && !no_release {
                assert!(
                    RELEASE_ARGUMENTS.contains(&(name, id)),
                    "{name} {id} has no entry: does it check the release?"
                );
            }
        }
    }
}
