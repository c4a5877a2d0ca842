//! Published cells are true. The reader holds the public folder and the original, and pairs rows by a kept column.

use super::case::Wanted;
use super::classes::originals;
use super::run::{Released, refute};
use super::table::TOWNS;

/// Whether a published label of a column stands for a value, by the forms that docs/hierarchies.md describes.
pub(crate) fn covers(column: &str, label: Option<&str>, value: Option<&str>) -> bool {
    let (label, value) = match (label, value) {
        (Some("*"), _) => return true,
        (None, None) => return true,
        (None, Some(_)) => return false,
        (Some(label), value) => (label, value),
    };
    if let Some(members) = label.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return members.split(", ").any(|member| same(member, value.unwrap_or("(missing)")));
    }
    let Some(value) = value else { return false };
    same(label, value)
        || in_interval(label, value)
        || match column {
            "town" => TOWNS.lines().any(|line| line.starts_with(value) && line.split(';').any(|cell| cell == label)),
            "code" => {
                label.len() == value.len()
                    && label.ends_with('*')
                    && label
                        .bytes()
                        .zip(value.bytes())
                        .all(|(of_label, of_value)| of_label == b'*' || of_label == of_value)
            }
            "born" => in_calendar(label, value),
            _ => false,
        }
}

fn same(label: &str, value: &str) -> bool {
    let numbers = label.parse::<f64>().ok().zip(value.parse::<f64>().ok());
    label == value || numbers.is_some_and(|(label, value)| label == value)
}

fn in_interval(label: &str, value: &str) -> bool {
    let Some(inner) = label.strip_prefix('[') else { return false };
    let (closed, inner) = (inner.ends_with(']'), &inner[..inner.len() - 1]);
    let Some((from, to)) = inner.split_once(", ") else { return false };
    match (from.parse::<f64>(), to.parse::<f64>(), value.parse::<f64>()) {
        (Ok(from), Ok(to), Ok(value)) => from <= value && (value < to || closed && value == to),
        // Days written as YYYY-MM-DD sort as texts.
        _ => from <= value && (value < to || closed && value == to),
    }
}

fn in_calendar(label: &str, day: &str) -> bool {
    let (year, month): (u32, u32) = (day[..4].parse().unwrap(), day[5..7].parse().unwrap());
    match label.len() {
        4 | 7 if !label.contains('Q') => day.starts_with(label),
        7 => label == format!("{year}-Q{}", (month - 1) / 3 + 1),
        5 => label == format!("{}s", year / 10 * 10),
        _ => false,
    }
}

fn cells_are_true(release: &Released<'_>) -> Result<bool, String> {
    let (table, data) = (&release.case.table, &release.published.data[0]);
    for (row, original) in originals(release).into_iter().enumerate() {
        for &name in &release.case.quasi {
            let (label, value) = (data.cell(row, name), table.cell(original, name));
            if !covers(name, label, value) {
                return Err(format!("{name} was {value:?} and is published as {label:?}"));
            }
        }
        for name in ["diagnosis", "income", "visits"] {
            if !data.cell(row, name).zip(table.cell(original, name)).is_none_or(|(label, value)| same(label, value)) {
                return Err(format!("{name} is kept and was changed"));
            }
        }
    }
    if data.column("id").is_some() || data.column("patient").is_some() {
        return Err("a removed column is published".into());
    }
    Ok(!data.rows.is_empty())
}

#[test]
fn published_cells_are_true() {
    refute("published cells are true", Wanted::default(), |_, release| cells_are_true(release));
}
