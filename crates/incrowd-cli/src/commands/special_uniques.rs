//! Rows that are unique on few columns.

use incrowd::risk::population::SpecialUniques;
use incrowd::{SpecialRow, counted, thousands};

use crate::printer::{Printer, plain};

/// How many there are by the size of their column sets, what each column contributes, and the rows if they may be shown.
pub(crate) fn print(printer: &mut Printer, found: &SpecialUniques, rows: Option<&[SpecialRow]>, who: &str) {
    printer.line("");
    let sets = counted(found.column_sets, "column set", "column sets");
    let columns = counted(found.depth as u64, "column", "columns");
    printer.line(printer.bold(&format!("Special uniques on {sets} of up to {columns}")));
    let mut figures = vec![
        vec![format!("  {who} with a minimal sample unique (MSU)"), thousands(found.special_rows)],
        vec!["  MSUs".into(), thousands(found.minimal_sets)],
        vec!["  largest SUDA score".into(), format!("{:.0}", found.max_score)],
        vec![format!("  mean SUDA score of unique {who}"), format!("{:.1}", found.mean_score)],
    ];
    if let (Some(dis), Some(max)) = (found.dis, found.max_dis) {
        figures.push(vec!["  DIS: correct among unique matches, estimated".into(), format!("{dis:.4}")]);
        figures.push(vec!["  largest DIS-SUDA score".into(), format!("{max:.4}")]);
    }
    printer.table(&[1], &figures);
    printer.line("");
    let smallest = format!("{} WHOSE SMALLEST", who.to_uppercase());
    let mut lines = vec![["  COLUMNS", "MSUS", &smallest].iter().map(|text| printer.dim(text)).collect::<Vec<_>>()];
    for size in &found.by_size {
        lines.push(vec![format!("  {}", size.size), thousands(size.minimal_sets), thousands(size.rows)]);
    }
    printer.table(&[0, 1, 2], &lines);
    printer.line("");
    let mut lines = vec![["  COLUMN", "MSUS WITH IT", "OF ALL SCORES"].map(|text| printer.dim(text)).to_vec()];
    for column in &found.columns {
        let share = format!("{:.1} %", 100.0 * column.share_of_scores);
        lines.push(vec![format!("  {}", plain(&column.column)), thousands(column.minimal_sets), share]);
    }
    printer.table(&[1, 2], &lines);
    if let Some(rows) = rows {
        print_rows(printer, rows);
    }
}

fn print_rows(printer: &mut Printer, rows: &[SpecialRow]) {
    printer.line("");
    let mut lines = vec![["  SCORE", "ROW", "UNIQUE ON"].map(|text| printer.dim(text)).to_vec()];
    for row in rows {
        let sets: Vec<String> = row.minimal_sets.iter().map(|set| set.join(" + ")).collect();
        let (values, sets) = (plain(&row.values.join(" | ")), plain(&sets.join(", ")));
        lines.push(vec![format!("  {:.0}", row.score), values, sets]);
    }
    printer.table(&[0], &lines);
}
