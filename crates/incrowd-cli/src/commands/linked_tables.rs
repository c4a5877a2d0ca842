//! `incrowd anonymize PLAN` for a plan with several tables: what a person sees of them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use incrowd::core::KnownRows;
use incrowd::{
    Engine, LinkedAnonymized, LinkedTable, LinkedTableAnswer, TablesFault, anonymize_tables, counted, thousands,
};
use serde::Serialize;

use crate::args::{AnonymizeArgs, OutputFormat};
use crate::events;
use crate::input::{self, AskedTable, quoted};
use crate::printer::{Failure, Printer, plain};

#[derive(Serialize)]
struct LinkedAnswer<'a> {
    #[serde(flatten)]
    made: &'a LinkedAnonymized,
    seconds: f64,
}

/// Releases the tables of a plan together: how many rows were published.
pub(crate) fn run(
    args: &AnonymizeArgs,
    asked: &AskedTable,
    target: &Path,
    started: Instant,
    printer: &mut Printer,
) -> Result<u64, Failure> {
    let engine = input::engine_on(asked, &asked.request.settings(), args.run.quiet)?;
    let tables = open(&engine, asked)?;
    let made = anonymize_tables(&engine, &tables, target);
    drop(engine);
    let made = match made {
        Err(error) => return Err(super::anonymize::refused(error, args.format, printer)?),
        Ok(made) => made,
    };
    let published = |table: &LinkedTableAnswer| table.made.rows.saturating_sub(table.made.suppressed_rows);
    let published = made.tables.iter().map(published).sum();
    events::figure("published_rows", published);
    events::figure("spilled_bytes", made.tables.iter().map(|table| table.made.spilled_bytes).sum());
    printer.done(format!("the tables were verified and published in {}", target.display()));
    match args.format {
        OutputFormat::Json => {
            printer.json(&LinkedAnswer { made: &made, seconds: started.elapsed().as_secs_f64() })?;
        }
        OutputFormat::Text => print(printer, &made, &asked.files()),
    }
    Ok(published)
}

/// Opens the tables, with the command that is shown for repeating the run.
fn open(engine: &Engine, asked: &AskedTable) -> Result<Vec<LinkedTable>, Failure> {
    if !asked.file.is_empty() {
        return Err(incrowd::Error::TablesRefused(TablesFault::OneTableAsked).into());
    }
    let mut tables = LinkedTable::open_all(engine, &asked.request)?;
    for table in &mut tables {
        table.options.command = super::anonymize::command(asked);
    }
    Ok(tables)
}

fn print(printer: &mut Printer, made: &LinkedAnonymized, originals: &[&str]) {
    let names: Vec<String> = made.tables.iter().map(|table| plain(&table.made.source)).collect();
    let name = plain(&made.release);
    printer.line(printer.bold(&format!("{} → {name}: verified", names.join(", "))));
    printer.line("");
    let head = ["  TABLE", "ROWS", "SUPPRESSED", "PEOPLE", "CLASSES", "SMALLEST CLASS", "LOSS (LM)"];
    let mut rows = vec![head.iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for table in &made.tables {
        let one = &table.made;
        let cells = [one.rows, one.suppressed_rows, table.people, one.classes, one.smallest_class].map(thousands);
        let mut row = vec![format!("  {}", plain(&table.name))];
        row.extend(cells);
        row.push(format!("{:.4}", one.loss.lm));
        rows.push(row);
    }
    printer.table(&[1, 2, 3, 4, 5, 6], &rows);
    printer.line("");
    printer.line(printer.bold("Promises about all tables together, verified on the written files"));
    made.promises.iter().for_each(|promise| printer.hanging("  - ", &plain(promise), 4));
    for table in &made.tables {
        let heading = format!("Promises about {}, verified for its people before the files were written", table.name);
        printer.line(printer.bold(&plain(&heading)));
        table.made.promises.iter().for_each(|promise| printer.hanging("  - ", &plain(promise), 4));
    }
    print_searched(printer, made);
    printer.line(printer.bold("Not promised"));
    for sentence in not_promised(made.known_rows) {
        printer.hanging("  - ", &sentence, 4);
    }
    for table in made.tables.iter().filter(|table| !table.made.findings.is_empty() || !table.made.notes.is_empty()) {
        printer.line(printer.bold(&plain(&format!("Note on {}", table.name))));
        for finding in &table.made.findings {
            let words = format!("{} {} {}", finding.code.severity.name(), finding.code.code, plain(&finding.message));
            printer.hanging("  - ", &words, 4);
        }
        table.made.notes.iter().for_each(|note| printer.hanging("  - ", &plain(note), 4));
    }
    print_next(printer, made, originals);
}

/// How many removed values were searched for.
fn print_searched(printer: &mut Printer, made: &LinkedAnonymized) {
    let canaries = made.tables.iter().map(|table| &table.made.canaries);
    let (values, bytes) = canaries.fold((0, 0), |sum, one| (sum.0 + one.values, sum.1 + one.bytes));
    if values > 0 {
        let searched = counted(values, "removed value was", "removed values were");
        let bytes = thousands(bytes);
        printer.hanging("  - ", &format!("{searched} searched for in {bytes} bytes; none was found."), 4);
    }
}

/// What nobody should read into the promises.
fn not_promised(known: KnownRows) -> Vec<String> {
    let mut sentences = vec![
        "Protection against attackers who know more than the quasi-identifiers, or who have another release of the same \
         people."
            .to_owned(),
        "Protection of the combination of sensitive values in all rows of one person.".to_owned(),
    ];
    if let KnownRows::AtMost(rows) = known {
        sentences.push(format!(
            "Protection against attackers who know more than {rows} rows of one person in a table, or their number."
        ));
    }
    sentences
}

/// The folders, and the command that comes next.
fn print_next(printer: &mut Printer, made: &LinkedAnonymized, originals: &[&str]) {
    printer.line("");
    let folders: Vec<PathBuf> = made.tables.iter().map(|table| Path::new(&made.release).join(&table.name)).collect();
    let shown: Vec<String> = folders.iter().map(|folder| plain(&folder.display().to_string())).collect();
    printer.hanging("", &format!("Publish: {}, a folder with {}", plain(&made.release), shown.join(", ")), 2);
    let record = plain(&made.record.display().to_string());
    let warning = format!("Do not publish {record}: it contains the keys of the pseudonyms and of the shuffle.");
    printer.hanging("", &printer.dim(&warning), 2);
    printer.line(format!("next: incrowd verify {}", quoted(&made.release)));
    // The verifier reads files.
    for (folder, original) in folders.iter().zip(originals).filter(|(_, original)| Path::new(original).is_file()) {
        let (folder, file) = (quoted(&folder.display().to_string()), quoted(original));
        printer.line(format!("      incrowd verify {folder} --against {file}"));
    }
}
