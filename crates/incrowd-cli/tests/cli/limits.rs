//! Limits of the system and senseless limits: refused in words, by every command, without a panic.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use super::support::{Desk, Run};

const PEOPLE: &str = "age,sex\n34,f\n34,f\n71,m\n71,m\n34,f\n";

/// Commands that read a table, write a file or make a release, with what they write.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["check", "people.csv"], ""),
    (&["check", "people.csv", "--report", "pages"], "pages/public.html"),
    (&["diagnose", "people.csv", "--qi", "age", "--sets"], ""),
    (&["init", "people.csv", "-o", "plan.toml"], "plan.toml"),
    (&["hierarchy", "build", "people.csv", "--column", "age", "-o", "age.csv"], "age.csv"),
    (&["anonymize", "people.csv", "--qi", "age,sex", "--k", "2", "-o", "release"], "release/manifest.json"),
];

/// The binary under limits of the shell.
fn limited(desk: &Desk, limit: &str, args: &[&str]) -> Run {
    let binary = desk.command(&[]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit}; exec \"$0\" \"$@\"")).arg(binary.get_program()).args(args);
    shell.current_dir(desk.folder()).env("COLUMNS", "100");
    binary.get_envs().filter_map(|(name, value)| Some((name, value?))).for_each(|(name, value)| {
        shell.env(name, value);
    });
    Run::of(&mut shell)
}

#[test]
fn no_command_panics_for_want_of_open_files_or_address_space() {
    let desk = Desk::with("people.csv", PEOPLE);
    for (args, written) in COMMANDS {
        for limit in ["ulimit -n 8", "ulimit -v 700000"] {
            let run = limited(&desk, limit, args);
            assert_eq!(run.code, Some(2), "{limit}: {args:?}: {run:?}");
            assert!(run.stderr.starts_with("error[IC437]: "), "{limit}: {args:?}: {run:?}");
            assert!(written.is_empty() || !desk.path(written).exists(), "{limit}: {args:?}");
        }
    }
}

#[test]
fn a_file_beyond_the_limit_of_the_shell_is_refused_and_leaves_nothing() {
    let rows: String = (0..4000).map(|row| format!("{},{}\n", 30 + row % 5, ["f", "m"][row % 2])).collect();
    let desk = Desk::with("people.csv", format!("age,sex\n{rows}"));
    let args = ["anonymize", "people.csv", "--qi", "age,sex", "--k", "2", "-o", "release"];
    let run = limited(&desk, "ulimit -f 8", &args);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.starts_with("error[IC401]: ") && run.stderr.contains("file too large"), "{run:?}");
    let left: Vec<_> = std::fs::read_dir(desk.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["people.csv"]);
}

#[test]
fn a_small_stack_of_the_shell_does_no_harm() {
    let desk = Desk::with("people.csv", PEOPLE);
    let args = ["anonymize", "people.csv", "--qi", "age,sex", "--k", "2", "-o", "release"];
    let run = limited(&desk, "ulimit -s 128", &args);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn senseless_sizes_and_numbers_of_threads_are_refused() {
    let desk = Desk::with("people.csv", PEOPLE);
    let refused = |option: &str, word: &str, said: &str| {
        let run = desk.run(&["check", "people.csv", option, word]);
        assert_eq!(run.code, Some(2), "{option} {word}: {run:?}");
        assert!(run.stderr.contains(said), "{option} {word}: {run:?}");
    };
    for word in ["100000", "0", "1025", "99999999999999999999", "two"] {
        refused("--threads", word, "from 1 to 1,024");
    }
    for word in ["16777216TiB", "1025TiB", "99999999999999999999999GiB"] {
        refused("--memory", word, "the maximum is 1024TiB");
    }
    refused("--memory", "15MiB", "the minimum is 16MiB");
    for line in ["threads = 100000", "threads = 0", "memory_mib = 17179869184", "memory_mib = 1"] {
        desk.write(
            "plan.toml",
            format!("version = 1\n\n[source]\npath = \"people.csv\"\n\n[policy]\nk = 2\n\n[run]\n{line}\n"),
        );
        let run = desk.run(&["check", "--plan", "plan.toml"]);
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
        assert!(run.stderr.contains("is from "), "{line}: {run:?}");
    }
    // Many threads that the system starts are no failure.
    assert_eq!(desk.run(&["check", "people.csv", "--threads", "64"]).code, Some(1));
}

#[test]
fn a_command_whose_output_cannot_be_written_says_what_it_has_done() {
    let desk = Desk::with("people.csv", PEOPLE);
    for (args, written) in COMMANDS {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = desk.command(args).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.starts_with("error[IC438]: "), "{args:?}: {said}");
        if written.is_empty() {
            assert!(said.contains("]: the output could not be written"), "{args:?}: {said}");
        } else {
            assert!(desk.path(written).exists(), "{args:?}");
            assert!(said.contains("; only the output could not be written"), "{args:?}: {said}");
        }
    }
    assert_eq!(desk.run(&["verify", "release"]).code, Some(0), "the release is whole");
}

#[test]
fn no_command_overwrites_a_file_without_force() {
    let desk = Desk::with("people.csv", PEOPLE);
    desk.run(&["anonymize", "people.csv", "--qi", "age,sex", "--k", "2", "-o", "made"]);
    let others: &[(&[&str], &str)] = &[
        (&["report", "made", "-o", "pages"], "pages/dossier.json"),
        (&["report", "made", "-o", "pages"], "pages/internal.html"),
        (&["report", "made"], "made.report/public.html"),
        (&["sample", "-q", "--rows", "9", "-o", "s.csv"], "s.csv"),
        (&["sample", "-q", "--rows", "9", "-o", "t.csv", "--hierarchies", "h"], "h/education.csv"),
    ];
    let writing = COMMANDS.iter().filter(|(args, written)| !written.is_empty() && args[0] != "anonymize");
    for (args, written) in writing.chain(others) {
        std::fs::remove_dir_all(desk.path("pages")).ok();
        desk.write(written, "mine");
        let run = desk.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
        assert!(run.stderr.starts_with("error[IC435]: "), "{args:?}: {run:?}");
        assert_eq!(std::fs::read_to_string(desk.path(written)).unwrap(), "mine", "{args:?}");
        if args.contains(&"--hierarchies") {
            // What stands where sample did not name a file is not replaced at all.
            continue;
        }
        let run = desk.run(&[args, &["--force"][..]].concat());
        assert_ne!(run.code, Some(2), "{args:?}: {run:?}");
        assert_ne!(std::fs::read_to_string(desk.path(written)).unwrap(), "mine", "{args:?}");
    }
}

#[test]
fn temporary_files_are_in_a_folder_of_the_user_id() {
    let desk = Desk::with("people.csv", PEOPLE);
    let user = std::fs::metadata(desk.folder()).unwrap().uid();
    for name in [None, Some("somebody"), Some("../../x")] {
        let temp = tempfile::tempdir().unwrap();
        let mut command = desk.command(&["check", "people.csv"]);
        command.env_remove("USER").envs(name.map(|name| ("USER", name))).env("TMPDIR", temp.path());
        assert_eq!(Run::of(&mut command).code, Some(1));
        let entries: Vec<_> = std::fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(entries, [&*format!("incrowd-{user}")], "{name:?}");
        let root = std::fs::metadata(temp.path().join(format!("incrowd-{user}"))).unwrap();
        assert_eq!(root.permissions().mode() & 0o777, 0o700);
    }
}
