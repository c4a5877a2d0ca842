//! What a person sees of a release that was just made.

use std::path::Path;

use incrowd::core::{KnownRows, Role};
use incrowd::{Anonymized, ColumnWhy, Counts, Publish, counted, thousands};

use crate::input::{AskedTable, quoted};
use crate::printer::{Printer, plain};

/// What the verifier can see of a release that counts people.
const ON_BYTES: &str = "Every class has at least k rows, and enough distinct values where the policy requires them. \
                        People and shares of people were not counted in the files.";

/// The same where the rows of people are compared by their pseudonyms.
const LINKED_ON_BYTES: &str = "At least k people have the same rows, compared by their pseudonyms, so each class has rows of \
                               at least k people. It has enough distinct values where the policy requires them. Shares of \
                               people were not counted in the files.";

/// What is not promised about several rows of one person.
fn about_several_rows(known_rows: Option<KnownRows>) -> String {
    match known_rows {
        None => {
            "Protection against attackers who know several rows of one person and combine the classes of these rows."
                .to_owned()
        }
        Some(KnownRows::AtMost(rows)) => {
            format!("Protection against attackers who know more than {rows} rows of one person, or their number.")
        }
        Some(KnownRows::All) => {
            "Protection of the combination of sensitive values in all rows of one person.".to_owned()
        }
    }
}

pub(crate) fn print(printer: &mut Printer, made: &Anonymized, asked: &AskedTable) {
    let name = plain(&made.release);
    printer.line(printer.bold(&format!("{} → {name}: verified", plain(&made.source))));
    printer.line("");
    print_figures(printer, made);
    if let Some(most) = &made.most_classes {
        printer.hanging("  ", &format!("Limit on the number of classes: {}.", plain(&most.words)), 2);
    }
    printer.line("");
    if !made.why.is_empty() {
        print_columns(printer, made);
        printer.line("");
    }
    if !made.withheld_for.is_empty() {
        printer.line(printer.bold("Suppressed"));
        for withheld in &made.withheld_for {
            let rows = counted(withheld.rows, "row", "rows");
            let what = format!("{rows} for {}. {}", plain(&withheld.rule), plain(&withheld.why));
            printer.hanging("  - ", &what, 4);
        }
    }
    let found = match made.counts {
        Counts::Rows => "Promises, verified on the written files",
        Counts::People => "Promises, verified for the people of the table before the files were written",
    };
    printer.line(printer.bold(found));
    made.promises.iter().for_each(|promise| printer.hanging("  - ", &plain(promise), 4));
    if made.counts == Counts::People {
        printer.line(printer.bold("Verified on the written files"));
        printer.hanging("  - ", if made.known_rows.is_some() { LINKED_ON_BYTES } else { ON_BYTES }, 4);
    }
    if made.canaries.values > 0 {
        let searched = counted(made.canaries.values, "removed value was", "removed values were");
        let bytes = thousands(made.canaries.bytes);
        printer.hanging("  - ", &format!("{searched} searched for in {bytes} bytes; none was found."), 4);
    }
    printer.line(printer.bold("Not promised"));
    printer.hanging(
        "  - ",
        "Protection against attackers who know more than the quasi-identifiers, or who have another release of the \
         same people.",
        4,
    );
    if made.counts == Counts::People {
        printer.hanging("  - ", &about_several_rows(made.known_rows), 4);
    }
    if let Some(repeated) = &made.repeats {
        printer.line(printer.bold("Repeated"));
        let same = format!("Release {} was repeated: every data file has the same SHA-256.", plain(repeated));
        printer.hanging("  - ", &same, 4);
    }
    if !made.attacks.is_empty() {
        printer.line(printer.bold("Attacks run before writing"));
        made.attacks.iter().for_each(|outcome| printer.hanging("  - ", &plain(&outcome.meaning), 4));
    }
    if !made.findings.is_empty() {
        printer.line(printer.bold("Columns published without generalization"));
        for finding in &made.findings {
            let words = format!("{} {} {}", finding.code.severity.name(), finding.code.code, plain(&finding.message));
            printer.hanging("  - ", &words, 4);
        }
    }
    if !made.notes.is_empty() {
        printer.line(printer.bold("Note"));
        made.notes.iter().for_each(|note| printer.hanging("  - ", &plain(note), 4));
    }
    printer.line("");
    if let Some(report) = &made.report {
        super::report::print(printer, report);
    }
    let mut next = format!("incrowd verify {}", quoted(&made.release));
    // The verifier reads files.
    if Path::new(&asked.file).is_file() {
        next += &format!(" --against {}", quoted(&asked.file));
    }
    let record = plain(&made.record.display().to_string());
    let warning = format!("Do not publish {record}: it contains the key of the shuffle and the hierarchies.");
    printer.hanging("", &printer.dim(&warning), 2);
    printer.line(format!("next: {next}"));
}

fn print_figures(printer: &mut Printer, made: &Anonymized) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut say = |name: &str, figure: String, note: &str| rows.push(vec![format!("  {name}"), figure, note.into()]);
    say("rows", thousands(made.rows), "");
    if made.suppressed_rows > 0 {
        let share = 100.0 * made.suppressed_rows as f64 / made.rows.max(1) as f64;
        say("suppressed", thousands(made.suppressed_rows), &format!("{share:.2} %"));
    }
    say("classes", thousands(made.classes), "");
    say("smallest class", thousands(made.smallest_class), "");
    if made.publish == Publish::TwoTables {
        say("mean class size / k", format!("{:.2}", made.loss.avg), "");
        say("information loss (LM)", "0".into(), &format!("{:.4} if the classes were generalized", made.loss.lm));
        printer.table(&[1], &rows);
        return;
    }
    say("information loss (LM)", format!("{:.4}", made.loss.lm), "0 = no loss, 1 = all detail lost");
    if let Some(bound) = made.loss.bound {
        let note = match (made.optimal, made.loss.ratio) {
            (Some(true), _) => "proven optimal for this policy and these hierarchies".into(),
            (_, Some(ratio)) => {
                format!("for this policy and these hierarchies; loss / bound = {ratio:.2}")
            }
            _ => String::new(),
        };
        say("lower bound (LM)", format!("{bound:.4}"), &note);
    }
    say("distortion ratio", format!("{:.4}", made.loss.distortion_ratio), "levels raised / all levels");
    say("precision", format!("{:.4}", made.loss.precision), "");
    say("mean class size / k", format!("{:.2}", made.loss.avg), "");
    say("discernibility", format!("{:.3e}", made.loss.dm), "");
    if let (Some(holding), Some(nodes)) = (made.statistics.holding_nodes, made.statistics.nodes) {
        say("nodes that meet the policy", thousands(holding), &format!("of {}", thousands(nodes)));
    }
    if made.cut_short {
        say(
            "stopped before its end",
            "yes".into(),
            "more time may reduce the loss; another run may give other classes",
        );
    }
    printer.table(&[1], &rows);
}

fn print_columns(printer: &mut Printer, made: &Anonymized) {
    let head = ["  COLUMN", "UNCHANGED", "LOSS (LM)", "LEVELS: SHARE OF ROWS", "MOSTLY REQUIRED BY"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for column in &made.loss.columns {
        let why = made.why.iter().find(|why| why.name == column.name);
        rows.push(vec![
            format!("  {}", printer.column(Role::QuasiIdentifier, &column.name)),
            format!("{:.1} %", 100.0 * column.unchanged),
            format!("{:.4}", column.lm),
            why.map(levels).unwrap_or_default(),
            why.map(mostly_forced_by).unwrap_or_default(),
        ]);
    }
    printer.table(&[1, 2], &rows);
}

/// `0: 61 % 1: 30 % 3: 9 %`.
fn levels(why: &ColumnWhy) -> String {
    let levels = why.levels.iter().map(|level| format!("{}: {:.0} %", level.level, 100.0 * level.share));
    levels.collect::<Vec<_>>().join("  ")
}

/// The rule that forced most of the rows above their values.
fn mostly_forced_by(why: &ColumnWhy) -> String {
    let mut forced: Vec<(&str, f64)> = Vec::new();
    for level in &why.levels {
        for rule in &level.forced_by {
            let rows = level.share * rule.share;
            match forced.iter_mut().find(|(known, _)| *known == rule.rule) {
                Some((_, share)) => *share += rows,
                None => forced.push((&rule.rule, rows)),
            }
        }
    }
    let most = forced.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(rule, _)| plain(rule)).unwrap_or_default()
}
