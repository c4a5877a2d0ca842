//! One case: a table and what is asked of its release.

use std::collections::BTreeMap;
use std::path::Path;

use incrowd::core::{Parameters, Policy, Ratio};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{AnonymizeOptions, Declared, HierarchyChoice, Publish};

use super::draw::Draw;
use super::table::{DIAGNOSES, QUASI, Shape, Table, table};

/// What a test wants its cases to be like.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Whether a rule about a sensitive column is always asked for.
    pub(crate) sensitive_rule: bool,
    pub(crate) two_tables: bool,
    pub(crate) subject: bool,
    pub(crate) tag: bool,
    pub(crate) most_rows: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { sensitive_rule: false, two_tables: false, subject: true, tag: true, most_rows: 40 }
    }
}

pub(crate) struct Case {
    pub(crate) table: Table,
    pub(crate) quasi: Vec<&'static str>,
    pub(crate) subject: bool,
    pub(crate) options: AnonymizeOptions,
}

const ALGORITHMS: [&str; 15] = [
    "auto",
    "mondrian",
    "top-down",
    "cheapest-first",
    "k-anon-cf",
    "incognito",
    "hilbert",
    "agglomerative",
    "forest",
    "sequential",
    "k-member",
    "progressive",
    "enhanced-pk",
    "greedy-pk",
    "anatomy",
];

impl Case {
    /// The case of this number. `folder` holds the hierarchy of towns.
    pub(crate) fn draw(number: u64, wanted: Wanted, folder: &Path) -> Case {
        let mut draw = Draw::new(number);
        let mut quasi: Vec<&'static str> = QUASI.into_iter().filter(|_| draw.chance(2, 5)).collect();
        if quasi.is_empty() {
            quasi.push(QUASI[draw.below(QUASI.len())]);
        }
        let subject = wanted.subject && draw.chance(1, 3);
        let shape = Shape {
            rows: 4 + draw.below(wanted.most_rows - 3),
            quasi: quasi.clone(),
            subject,
            one_value: draw.chance(1, 2),
            missing: draw.chance(1, 2),
            tag: wanted.tag,
        };
        let table = table(&shape, &mut draw);
        let publish = if wanted.two_tables { Publish::TwoTables } else { Publish::OneTable };
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
        let kept: &[&str] = if wanted.tag { &["visits", "tag"] } else { &["visits"] };
        let declared = Declared {
            quasi_identifiers: names(&quasi),
            sensitive: names(&["diagnosis", "income"]),
            identifiers: names(&["id"]),
            insensitive: names(kept),
            subject: subject.then(|| "patient".into()),
            rows_are_people: false,
        };
        let options = AnonymizeOptions {
            declared,
            policy: policy(wanted.sensitive_rule || wanted.two_tables || draw.chance(1, 2), &mut draw),
            hierarchies: hierarchies(&quasi, folder, &mut draw),
            algorithm: (*draw.one_of(&ALGORITHMS)).into(),
            at_once: draw.chance(1, 10).then(|| 2 + draw.below(8) as u64),
            seed: draw.chance(1, 2).then(|| draw.below(10) as u64),
            keep_identifying: names(kept),
            bound: false,
            report: false,
            publish,
            ..AnonymizeOptions::default()
        };
        Case { table, quasi, subject, options }
    }
}

/// k-anonymity, with a rule about sensitive values or without, with suppression or without.
fn policy(about_values: bool, draw: &mut Draw) -> Policy {
    let mut policy = Policy::k_anonymity(2 + draw.below(4) as u64);
    let rules = if about_values { 1 + usize::from(draw.chance(1, 5)) } else { 0 };
    for _ in 0..rules {
        policy = about(policy, draw);
    }
    policy.suppressing(*draw.one_of(&[0.0, 0.0, 0.1, 0.3]))
}

fn about(policy: Policy, draw: &mut Draw) -> Policy {
    let column = *draw.one_of(&["diagnosis", "diagnosis", "income"]);
    let whole = |name: &str, number: usize| Parameters::from_iter([(name, number as u64)]);
    let share = |name: &str, draw: &mut Draw| {
        Parameters::default().with(name, *draw.one_of(&["1/2", "2/3", "3/4", "0.4", "0.9"]))
    };
    let columns = &[column];
    match draw.below(12) {
        0 | 1 => {
            let alpha = Ratio::new(1 + draw.below(3) as u64, 4).unwrap();
            policy.deassociating(column, alpha, &[], draw.chance(1, 3))
        }
        2 => policy.deassociating("diagnosis", Ratio::new(1, 2).unwrap(), &[DIAGNOSES[0]], draw.chance(1, 3)),
        3 => policy.deassociating("diagnosis", Ratio::new(3, 4).unwrap(), &DIAGNOSES[..2], false),
        4 => policy.asking("p-sensitive", whole("p", 2), columns),
        5 => policy.asking("distinct-l-diversity", whole("l", 2 + draw.below(2)), columns),
        6 => policy.asking("frequency-l-diversity", whole("l", 2), columns),
        7 => policy.asking("entropy-l-diversity", whole("l", 2), columns),
        8 => policy.asking("recursive-c-l-diversity", whole("c", 1 + draw.below(3)).with("l", 2), columns),
        9 => policy.asking("t-closeness", share("t", draw), columns),
        10 => policy.asking("beta-likeness", whole("beta", 1 + draw.below(2)), columns),
        _ => policy.asking("delta-disclosure", whole("delta", 1 + draw.below(2)), columns),
    }
}

fn hierarchies(quasi: &[&str], folder: &Path, draw: &mut Draw) -> BTreeMap<String, HierarchyChoice> {
    let build = HierarchyPlan::Build;
    let mut choices = BTreeMap::new();
    for &name in quasi {
        let plans: Vec<HierarchyPlan> = match name {
            "age" => vec![
                HierarchyPlan::Intervals(vec![5.0, 10.0, 20.0]),
                build(BuildPlan::FreeIntervals),
                build(BuildPlan::Sets),
            ],
            "town" => vec![HierarchyPlan::File("towns.csv".into()), HierarchyPlan::File("towns.csv".into())],
            "code" => vec![build(BuildPlan::Prefix), build(BuildPlan::Flat)],
            "born" => vec![build(BuildPlan::Dates), build(BuildPlan::FreeIntervals)],
            "weight" => vec![HierarchyPlan::Intervals(vec![1.0, 5.0]), build(BuildPlan::FreeIntervals)],
            _ => vec![build(BuildPlan::Flat), build(BuildPlan::Sets)],
        };
        if name == "town" || draw.chance(3, 4) {
            let plan = draw.one_of(&plans).clone();
            choices.insert(name.to_owned(), HierarchyChoice { plan, folder: folder.into() });
        }
    }
    choices
}
