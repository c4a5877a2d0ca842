//! Tables that can be read only once, and names that are odd.

use std::io::Write;
use std::process::{Command, Stdio};

use super::support::{Desk, Run};

const TABLE: &str = "age,town,illness\n34,Ulm,flu\n34,Ulm,cold\n41,Bonn,flu\n41,Bonn,cold\n";

#[test]
fn a_table_is_read_from_standard_input() {
    let desk = Desk::new();
    let mut run = desk.command(&["diagnose", "-", "--qi", "age,town"]);
    let mut run = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    run.stdin.take().unwrap().write_all(TABLE.as_bytes()).unwrap();
    let said = run.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    assert!(String::from_utf8(said.stdout).unwrap().contains("rows                4"));
}

#[test]
fn a_table_is_published_from_a_named_pipe_and_no_copy_of_it_is_left() {
    let desk = Desk::new();
    let pipe = desk.path("pipe.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, TABLE).unwrap()
    });
    let words = ["anonymize", "pipe.csv", "--qi", "age,town", "--sensitive", "illness", "--k", "2", "-o", "out"];
    let run = desk.run(&words);
    writer.join().unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(std::fs::read_to_string(desk.path("out/data.csv")).unwrap().lines().count(), 5);
    let record = std::fs::read_to_string(desk.path("out.internal/record.json")).unwrap();
    assert!(!record.contains("Ulm"), "no row in the record");
}

#[test]
fn a_pipe_that_nobody_writes_to_ends_with_the_signal() {
    let desk = Desk::new();
    let pipe = desk.path("pipe.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut run = desk.command(&["check", "pipe.csv"]);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = run.id().to_string();
    // As soon as the handlers stand, a signal is answered; until then it ends the process, too.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").arg(&id).status().unwrap().success());
    let said = run.wait_with_output().unwrap();
    assert!(!said.status.success());
}

#[test]
fn a_column_name_of_any_length_is_published() {
    let name = "a".repeat(300);
    let desk = Desk::with("long.csv", TABLE.replacen("age", &name, 1));
    let columns = format!("{name},town");
    let words = ["anonymize", "long.csv", "--qi", &columns, "--sensitive", "illness", "--k", "2", "-o", "out"];
    let run: Run = desk.run(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(desk.run(&["verify", "out", "--against", "long.csv"]).code, Some(0));
}

#[test]
fn a_second_byte_order_mark_is_refused_before_anything_is_made_of_it() {
    let desk = Desk::with("marks.csv", format!("\u{feff}\u{feff}{TABLE}"));
    let run = desk.run(&["check", "marks.csv"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error[IC404]") && run.stderr.contains("byte order mark"), "{run:?}");
    desk.write("mark.csv", format!("\u{feff}{TABLE}"));
    assert!(desk.run(&["diagnose", "mark.csv", "--qi", "age"]).code == Some(0));
}

#[test]
fn a_mark_before_a_table_without_a_header_is_no_part_of_its_first_cell() {
    let desk = Desk::with("mark.csv", "\u{feff}34,f,flu\n34,f,cold\n34,f,flu\n");
    let run = desk.run(&["diagnose", "mark.csv", "--no-header", "--qi", "column_1,column_2"]);
    assert!(run.stdout.contains("smallest class (k)  3"), "{run:?}");
}
