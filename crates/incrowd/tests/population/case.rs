//! A sample of a population, as texts, and what is asked of its release.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use incrowd::core::{Parameters, Policy};
use incrowd::request::{BuildPlan, HierarchyPlan, PopulationOptions};
use incrowd::{AnonymizeOptions, Declared, HierarchyChoice};
use incrowd_verify::Against;
use serde_json::{Value, json};

/// Towns with what they lie in.
pub(crate) const TOWNS: [[&str; 3]; 7] = [
    ["Bonn", "Rhine", "Germany"],
    ["Graz", "Styria", "Austria"],
    ["Essen", "Rhine", "Germany"],
    ["Linz", "Upper Austria", "Austria"],
    ["Ulm", "Swabia", "Germany"],
    ["Wien", "Vienna", "Austria"],
    ["Genf", "Geneva", "Switzerland"],
];

/// What is promised about the population.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    KMap(u64),
    /// The minimum and the maximum, in sixteenths.
    Presence(u64, u64),
}

impl Asked {
    /// The rule as a manifest writes it.
    pub(crate) fn rule(&self) -> Value {
        match *self {
            Asked::KMap(k) => json!({ "model": "k-map", "parameters": { "k": k } }),
            Asked::Presence(0, max) => {
                json!({ "model": "delta-presence", "parameters": { "max": format!("{max}/16") } })
            }
            Asked::Presence(min, max) => {
                let parameters = json!({ "min": format!("{min}/16"), "max": format!("{max}/16") });
                json!({ "model": "delta-presence", "parameters": parameters })
            }
        }
    }

    /// Other parameters of the same model.
    pub(crate) fn others(&self) -> Vec<Asked> {
        match self {
            Asked::KMap(_) => [1, 2, 3, 5, 8, 13, 21].map(Asked::KMap).into(),
            Asked::Presence(..) => {
                [(0, 4), (0, 8), (0, 12), (1, 16), (3, 16), (6, 12)].map(|(min, max)| Asked::Presence(min, max)).into()
            }
        }
    }
}

/// A column of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// Numbers below intervals.
    Age,
    /// Numbers as any interval of them.
    FreeAge,
    /// Names below names, from a file.
    Town,
    /// Digits below their prefixes.
    Zip,
    /// Names as sets of them.
    Sex,
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Column::Age | Column::FreeAge => "age",
            Column::Town => "town",
            Column::Zip => "zip",
            Column::Sex => "sex",
        }
    }

    fn hierarchy(self) -> HierarchyPlan {
        match self {
            Column::Age => HierarchyPlan::Intervals(vec![10.0, 20.0]),
            Column::FreeAge => HierarchyPlan::Build(BuildPlan::FreeIntervals),
            Column::Town => HierarchyPlan::File("towns.csv".into()),
            Column::Zip => HierarchyPlan::Build(BuildPlan::Prefix),
            Column::Sex => HierarchyPlan::Build(BuildPlan::Sets),
        }
    }
}

pub(crate) struct Case {
    pub(crate) columns: Vec<Column>,
    pub(crate) sample: Vec<Vec<String>>,
    /// The values of people who are alike, and how many they are.
    pub(crate) population: Vec<(Vec<String>, u64)>,
    pub(crate) asked: Asked,
    pub(crate) k: u64,
    suppress: f64,
    counted: bool,
    algorithm: &'static str,
    seed: u64,
}

/// A generator of numbers (xorshift, G. Marsaglia 2003).
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }
}

const ALGORITHMS: [&str; 12] = [
    "auto",
    "mondrian",
    "top-down",
    "incognito",
    "incognito",
    "cheapest-first",
    "k-anon-cf",
    "hilbert",
    "agglomerative",
    "forest",
    "k-member",
    "progressive",
];

fn value(column: Column, draw: &mut Draw) -> String {
    match column {
        Column::Age | Column::FreeAge => (20 + draw.below(14) * 3).to_string(),
        Column::Town => TOWNS[usize::try_from(draw.below(7)).unwrap()][0].into(),
        Column::Zip => format!("K{}", 43_000 + draw.below(4) * 100 + draw.below(3) * 11),
        Column::Sex => ["f", "m", "x"][usize::try_from(draw.below(3)).unwrap()].into(),
    }
}

/// The value, or something coarser that is known of a person.
fn known(column: Column, value: &str, draw: &mut Draw) -> String {
    let line = || TOWNS.iter().find(|line| line[0] == value).unwrap();
    match (column, draw.below(8)) {
        (Column::Town, 0) => line()[1].into(),
        (Column::Town, 1) => line()[2].into(),
        (Column::Town | Column::Zip, 2) => "*".into(),
        _ => value.into(),
    }
}

impl Case {
    /// The case of this number.
    pub(crate) fn draw(number: u64) -> Case {
        let mut draw = Draw((number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for _ in 0..4 {
            draw.below(2);
        }
        let mut columns = vec![[Column::Age, Column::FreeAge, Column::Town][usize::try_from(draw.below(3)).unwrap()]];
        for column in [Column::Town, Column::Zip, Column::Sex] {
            if draw.below(3) == 0 && !columns.contains(&column) {
                columns.push(column);
            }
        }
        let (people, coarse) = (2 + draw.below(60), draw.below(3) == 0);
        let rows: Vec<Vec<String>> =
            (0..people).map(|_| columns.iter().map(|&column| value(column, &mut draw)).collect()).collect();
        let sampled = usize::try_from(1 + draw.below(people.min(24))).unwrap();
        let mut population: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        // Sometimes somebody of the sample is not in the population.
        let skipped = usize::from(draw.below(12) == 0);
        for row in &rows[skipped.min(rows.len() - 1)..] {
            let values = row.iter().zip(&columns);
            let values: Vec<String> = match coarse {
                true => values.map(|(value, &column)| known(column, value, &mut draw)).collect(),
                false => row.clone(),
            };
            *population.entry(values).or_default() += 1;
        }
        let algorithm = ALGORITHMS[usize::try_from(draw.below(12)).unwrap()];
        let presence = algorithm == "incognito" && draw.below(2) == 0;
        let asked = match presence {
            true => Asked::Presence(draw.below(4) % 3, 6 + draw.below(11)),
            false => Asked::KMap(1 + draw.below(12)),
        };
        Case {
            sample: rows[..sampled].to_vec(),
            population: population.into_iter().collect(),
            k: 1 + draw.below(3),
            suppress: if presence || draw.below(3) > 0 { 0.0 } else { 0.2 },
            counted: draw.below(2) == 0,
            seed: draw.below(100),
            columns,
            asked,
            algorithm,
        }
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name().into()).collect()
    }

    /// Writes the tables and the hierarchy of towns.
    pub(crate) fn write(&self, folder: &Path) {
        let line = |cells: &[String]| format!("{}\n", cells.join(","));
        let header = self.names();
        let mut sample = line(&[&header[..], &["note".into()]].concat());
        self.sample.iter().for_each(|row| sample += &line(&[&row[..], &["n".into()]].concat()));
        std::fs::write(folder.join("sample.csv"), sample).unwrap();
        let mut population = String::new();
        if self.counted {
            population += &line(&[&header[..], &["people".into()]].concat());
            for (values, people) in &self.population {
                population += &line(&[&values[..], &[people.to_string()]].concat());
            }
        } else {
            population += &line(&header);
            for (values, people) in &self.population {
                (0..*people).for_each(|_| population += &line(values));
            }
        }
        std::fs::write(folder.join("population.csv"), population).unwrap();
        let mut towns = String::new();
        TOWNS.iter().for_each(|line| writeln!(towns, "{};*", line.join(";")).unwrap());
        std::fs::write(folder.join("towns.csv"), towns).unwrap();
    }

    pub(crate) fn count_column(&self) -> Option<String> {
        self.counted.then(|| "people".into())
    }

    pub(crate) fn options(&self, folder: &Path) -> AnonymizeOptions {
        let rule = self.asked.rule();
        let parameters: Parameters = serde_json::from_value(rule["parameters"].clone()).unwrap();
        let policy = Policy::k_anonymity(self.k).suppressing(self.suppress);
        let choice = |column: &Column| {
            (column.name().to_string(), HierarchyChoice { plan: column.hierarchy(), folder: folder.into() })
        };
        AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: self.names(),
                insensitive: vec!["note".into()],
                ..Declared::default()
            },
            policy: policy.asking(rule["model"].as_str().unwrap(), parameters, &[]),
            population: Some(PopulationOptions {
                path: folder.join("population.csv"),
                count_column: self.count_column(),
            }),
            hierarchies: self.columns.iter().map(choice).collect(),
            keep_identifying: vec!["note".into()],
            algorithm: self.algorithm.into(),
            seed: Some(self.seed),
            bound: false,
            report: false,
            ..AnonymizeOptions::default()
        }
    }

    /// The population as the verifier is told to read it, with the hierarchies of the record.
    pub(crate) fn as_verifier_reads_it(&self, folder: &Path) -> Against {
        let record = folder.join("release.internal").join("hierarchies");
        let files: Vec<_> = std::fs::read_dir(record).unwrap().map(|entry| entry.unwrap().path()).collect();
        let of = |(at, name): (usize, String)| {
            let start = format!("{}-", at + 1);
            let file = files.iter().find(|file| file.file_name().unwrap().to_string_lossy().starts_with(&start));
            file.map(|file| (name, file.clone()))
        };
        Against {
            hierarchies: self.names().into_iter().enumerate().filter_map(of).collect(),
            ..Against::csv(folder.join("population.csv"))
        }
    }
}
