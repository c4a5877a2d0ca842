//! The tables that are released: people with several rows, missing values, several sensitive columns, kept columns.

use super::draw::Draw;

/// The quasi-identifiers there can be, each with the kind of its values.
pub(crate) const QUASI: [&str; 6] = ["age", "town", "code", "born", "weight", "colour"];

/// Towns below districts below regions. `Rhineland`, `Ruhr` and `Danube` have one child each.
pub(crate) const TOWNS: &str = "Ulmstadt;Swabia;South;*\nAugsburg;Swabia;South;*\nPassau;Danube;South;*\n\
                                Bonnheim;Rhineland;West;*\nEssenberg;Ruhr;West;*\n";

pub(crate) const DIAGNOSES: [&str; 5] = ["influenza", "bronchitis", "gout-attack", "hiv-infection", "migraine"];

/// A table with its header; a missing cell is nothing.
pub(crate) struct Table {
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

impl Table {
    pub(crate) fn column(&self, name: &str) -> usize {
        self.header.iter().position(|column| *column == name).unwrap()
    }

    pub(crate) fn cell(&self, row: usize, name: &str) -> Option<&str> {
        self.rows[row][self.column(name)].as_deref()
    }

    pub(crate) fn csv(&self) -> String {
        let mut text = self.header.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("")).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

/// What a table is drawn to have.
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) quasi: Vec<&'static str>,
    /// Whether a column says which rows belong to one person.
    pub(crate) subject: bool,
    /// Whether every person has one diagnosis, also with several rows.
    pub(crate) one_value: bool,
    pub(crate) missing: bool,
    /// Whether a column names each published row, so that an auditor can pair it with the original.
    pub(crate) tag: bool,
}

/// A table of made-up people. `id` names each row and is removed; `patient` is the subject; `tag` is published.
pub(crate) fn table(shape: &Shape, draw: &mut Draw) -> Table {
    let mut header = vec!["id"];
    header.extend(shape.subject.then_some("patient"));
    header.extend(&shape.quasi);
    header.extend(["diagnosis", "income", "visits"]);
    header.extend(shape.tag.then_some("tag"));
    let people = if shape.subject { (shape.rows * 2 / 3).max(2) } else { shape.rows };
    let ages = 3 + draw.below(30);
    let diagnoses = 2 + draw.below(DIAGNOSES.len() - 1);
    let mut rows = Vec::new();
    for row in 0..shape.rows {
        let person = if shape.subject { draw.below(people) } else { row };
        let cell = |name: &str, draw: &mut Draw| {
            let often_missing = shape.missing && !["id", "patient", "tag"].contains(&name);
            if often_missing && draw.chance(1, 8) && !(shape.one_value && name == "diagnosis") {
                return None;
            }
            Some(match name {
                "id" => format!("ZQX-IDENTITY-{row:05}"),
                "patient" => format!("PZQ-PATIENT-{person:05}"),
                "age" => (20 + draw.below(ages)).to_string(),
                "town" => TOWNS.lines().nth(draw.below(5)).unwrap().split(';').next().unwrap().to_owned(),
                "code" => (10_000 + 137 * draw.below(9)).to_string(),
                "born" => format!("{}-{:02}-{:02}", 1950 + draw.below(12), 1 + draw.below(12), 1 + draw.below(28)),
                "weight" => format!("{}.{}", 50 + draw.below(12), 1 + 2 * draw.below(5)),
                "colour" => ["amber-eyes", "blue-eyes", "green-eyes"][draw.below(3)].to_owned(),
                "diagnosis" if shape.one_value => DIAGNOSES[person * 7919 % diagnoses].to_owned(),
                "diagnosis" => DIAGNOSES[draw.below(diagnoses).min(draw.below(diagnoses))].to_owned(),
                "income" => (1_000 * draw.below(6)).to_string(),
                "visits" => draw.below(3).to_string(),
                _ => format!("TAG-{row:05}"),
            })
        };
        rows.push(header.iter().map(|name| cell(name, draw)).collect());
    }
    Table { header, rows }
}
