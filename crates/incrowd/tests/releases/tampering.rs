//! Whatever is done to a release afterwards, the verifier notices.

use std::path::Path;

use super::support::{Desk, change_lines, reseal};

/// The release is refused after the change.
fn refused(change: impl FnOnce(&Path)) {
    let desk = Desk::new();
    let release = desk.made();
    assert!(desk.verdict(&release).verified, "honest before");
    change(&release);
    let verdict = desk.verdict(&release);
    assert!(!verdict.verified && !verdict.faults.is_empty());
}

/// The release is accepted by itself and refused against its table.
fn refused_against(change: impl FnOnce(&Path)) {
    let desk = Desk::new();
    let release = desk.made();
    assert!(desk.verdict_against(&release).verified, "honest before");
    change(&release);
    let alone = desk.verdict(&release);
    assert!(alone.verified, "{:?}", alone.faults);
    assert!(!desk.verdict_against(&release).verified);
}

fn cells(line: &str) -> Vec<String> {
    // No published cell of these tables has a comma but an interval's, which is quoted.
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

#[test]
fn a_cell_was_changed() {
    // Which row this is depends on the key: the change has to be one of every row.
    refused(|release| change_lines(release, |lines| lines[5].push('9')));
}

#[test]
fn a_row_was_removed() {
    refused(|release| {
        change_lines(release, |lines| drop(lines.remove(9)));
        reseal(release, |_| {});
    });
}

#[test]
fn a_row_was_doubled() {
    refused(|release| {
        change_lines(release, |lines| lines.push(lines[3].clone()));
        reseal(release, |_| {});
    });
}

#[test]
fn a_row_was_doubled_and_the_counts_with_it() {
    let desk = Desk::new();
    let release = desk.made();
    change_lines(&release, |lines| lines.push(lines[3].clone()));
    reseal(&release, |manifest| {
        manifest.rows += 1;
        manifest.source_rows = (manifest.source_rows.most() + 1).into();
        manifest.files[0].rows += 1;
    });
    assert!(!desk.verdict_against(&release).verified, "the table has one row less");
}

#[test]
fn a_class_was_broken_below_k() {
    refused(|release| {
        change_lines(release, |lines| {
            let mut changed = cells(&lines[1]);
            changed[0] = "999".into();
            lines[1] = changed.join(",");
        });
        reseal(release, |manifest| {
            manifest.classes += 1;
            manifest.smallest_class = 1;
        });
    });
}

#[test]
fn the_share_of_a_protected_value_was_exceeded() {
    refused(|release| {
        change_lines(release, |lines| {
            let class = |line: &str| cells(line)[..2].to_vec();
            let first = class(&lines[1]);
            for line in lines[1..].iter_mut().filter(|line| class(line) == first) {
                let at = line.rfind(',').unwrap();
                line.replace_range(at.., ",HIV");
            }
        });
        reseal(release, |_| {});
    });
}

#[test]
fn a_sensitive_value_was_swapped_across_classes() {
    refused_against(|release| {
        change_lines(release, |lines| {
            // Two exact classes of different people, one value each that the other does not have to give.
            let of = |lines: &[String], at: usize| cells(&lines[at]);
            let exact = |cells: &[String]| cells[0].parse::<u32>().is_ok() && cells[1] != "*" && cells[1].len() < 5;
            let rows: Vec<usize> = (1..lines.len()).filter(|&at| exact(&of(lines, at))).collect();
            let fits = |a: usize, b: usize| {
                let (a, b) = (of(lines, a), of(lines, b));
                a[..2] != b[..2] && a[2] == b[2] && a[3] != b[3] && a[3] != "HIV" && b[3] != "HIV"
            };
            let pair = rows.iter().flat_map(|&a| rows.iter().map(move |&b| (a, b))).find(|&(a, b)| fits(a, b));
            let (a, b) = pair.expect("two rows whose diagnoses can be swapped");
            let (left, right) = (of(lines, a)[3].clone(), of(lines, b)[3].clone());
            lines[a] = format!("{}{right}", lines[a].strip_suffix(&left).unwrap());
            lines[b] = format!("{}{left}", lines[b].strip_suffix(&right).unwrap());
        });
        reseal(release, |_| {});
    });
}

#[test]
fn a_published_value_was_never_true() {
    refused_against(|release| {
        change_lines(release, |lines| {
            let town = |line: &String| cells(line)[1].clone();
            let (from, to) = ("Ulm", "Graz");
            let rows: Vec<usize> = (1..lines.len()).filter(|&at| town(&lines[at]) == from).collect();
            assert!(!rows.is_empty());
            // The whole class moves, so that no crowd is broken.
            rows.iter().for_each(|&at| lines[at] = lines[at].replace(from, to));
        });
        let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
        let classes: std::collections::BTreeSet<Vec<String>> =
            text.lines().skip(1).map(|line| cells(line)[..2].to_vec()).collect();
        reseal(release, |manifest| manifest.classes = classes.len() as u64);
    });
}

#[test]
fn a_file_was_cut() {
    refused(|release| {
        let path = release.join("data.csv");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    });
}

#[test]
fn a_file_is_missing() {
    refused(|release| std::fs::remove_file(release.join("data.csv")).unwrap());
}

#[test]
fn the_manifest_is_missing() {
    refused(|release| std::fs::remove_file(release.join("manifest.json")).unwrap());
}

#[test]
fn the_manifest_was_edited() {
    refused(|release| {
        let path = release.join("manifest.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replacen("\"k\": 3", "\"k\": 2", 1)).unwrap();
    });
}

#[test]
fn an_identifier_column_is_there() {
    refused(|release| {
        change_lines(release, |lines| {
            lines[0] = format!("name,{}", lines[0]);
            (1..lines.len()).for_each(|at| lines[at] = format!("somebody,{}", lines[at]));
        });
        reseal(release, |_| {});
    });
}

#[test]
fn an_identifier_column_is_there_and_the_manifest_says_so() {
    refused(|release| {
        change_lines(release, |lines| {
            lines[0] = format!("name,{}", lines[0]);
            (1..lines.len()).for_each(|at| lines[at] = format!("somebody,{}", lines[at]));
        });
        reseal(release, |manifest| manifest.columns[0].technique = serde_json::from_str("\"retained\"").unwrap());
    });
}

#[test]
fn a_count_is_wrong() {
    refused(|release| reseal(release, |manifest| manifest.rows += 5));
    refused(|release| reseal(release, |manifest| manifest.classes += 1));
    refused(|release| reseal(release, |manifest| manifest.smallest_class += 1));
    refused(|release| reseal(release, |manifest| manifest.suppressed_rows = 1.into()));
}

#[test]
fn columns_were_reordered() {
    refused(|release| {
        change_lines(release, |lines| lines[0] = lines[0].replace("age,town", "town,age"));
        reseal(release, |_| {});
    });
}

#[test]
fn a_file_was_added() {
    refused(|release| std::fs::write(release.join("names.csv"), "name\nsomebody\n").unwrap());
}
