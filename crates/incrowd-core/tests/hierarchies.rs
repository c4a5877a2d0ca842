//! Every hierarchy file of the test data, and the worked example of LM on one of them.

use std::fs;
use std::path::{Path, PathBuf};

use incrowd_core::{
    Attribute, Dictionary, Domain, FrequencyTable, Hierarchy, HierarchyError, LossEntry, Prices, Role, Weighted,
};

fn data() -> PathBuf {
    incrowd_testdata::folder()
}

fn read(path: &Path) -> Hierarchy {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Hierarchy::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let read = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        read.map(|entry| entry.expect("an entry").path())
    };
    let sets = entries(data().join("hierarchies")).flat_map(entries);
    let arx = entries(data().join("arx")).filter(|path| path.to_string_lossy().contains("hierarchy"));
    let mut files: Vec<PathBuf> = sets.chain(arx).filter(|path| path.extension().is_some_and(|e| e == "csv")).collect();
    files.sort();
    files
}

#[test]
fn every_file_is_read_and_written_back() {
    let files = files();
    assert_eq!(files.len(), 50);
    for path in files {
        let hierarchy = read(&path);
        let lines = fs::read_to_string(&path).expect("read before").lines().count();
        assert_eq!(hierarchy.leaf_count() as usize, lines, "{}", path.display());
        assert_eq!(hierarchy.nodes()[0].label(), "*", "{}", path.display());
        assert_eq!(Hierarchy::read(&hierarchy.write()).as_ref(), Ok(&hierarchy), "{}", path.display());
    }
}

#[test]
fn heights_are_those_that_the_papers_name() {
    let heights = |set: &str, names: &[&str]| -> Vec<usize> {
        names
            .iter()
            .map(|name| read(&data().join("hierarchies").join(set).join(name).with_extension("csv")).height())
            .collect()
    };
    let wong = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];
    assert_eq!(heights("adult_wong", &wong), [4, 3, 4, 3, 2, 2, 1, 3]);
    assert_eq!(heights("adult_wong", &["salary-class"]), [1]);
    assert_eq!(heights("adult_kenig", &["age", "education-num", "hours-per-week", "fnlwgt", "capital-gain"]), [4; 5]);
    assert_eq!(heights("adult_kenig", &["capital-loss", "native-country"]), [3; 2]);
    assert_eq!(heights("adult_kenig", &["workclass", "education", "marital-status", "occupation"]), [2; 4]);
    assert_eq!(heights("adult_kenig", &["relationship", "race", "sex"]), [1; 3]);
    assert_eq!(heights("nursery_kenig", &["has_nurs", "form"]), [2, 1]);
    assert_eq!(heights("coil_kenig", &["MOSTYPE", "MGODRK", "MRELGE"]), [3, 2, 1]);
}

#[test]
fn the_shapes_of_the_k_anon_cf_paper_are_kept() {
    let sizes = |name: &str| -> Vec<u32> {
        let hierarchy = read(&data().join("hierarchies/adult_kenig").join(name).with_extension("csv"));
        let mut sizes: Vec<u32> = hierarchy
            .nodes()
            .iter()
            .filter(|node| node.level() == 1)
            .map(|node| node.leaves().count() as u32)
            .collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes("workclass"), [2, 3, 3]);
    assert_eq!(sizes("education"), [3, 4, 9]);
    assert_eq!(sizes("marital-status"), [3, 4]);
    assert_eq!(sizes("occupation"), [2, 3, 3, 6]);
}

#[test]
fn traps_of_the_files_keep_their_meaning() {
    let hierarchies = data().join("hierarchies");
    let race = read(&hierarchies.join("adult_wong/race.csv"));
    assert_eq!(race.find("White-race").count(), 1);
    let domain = Domain::tree(&race);
    let white = race.leaf("White").expect("a leaf");
    assert_eq!(domain.at_level(white, 1), domain.leaf(white));

    let has_nurs = read(&hierarchies.join("nursery_kenig/has_nurs.csv"));
    assert_eq!(has_nurs.find("proper").count(), 1);
    assert_eq!(has_nurs.level_sizes(), [5, 3, 1]);

    let religion = read(&hierarchies.join("coil_kenig/MGODRK.csv"));
    assert_eq!(religion.find("0-23%").count(), 1);
    let country = read(&hierarchies.join("adult_wong/native-country.csv"));
    assert!(country.leaf("Trinadad&Tobago").is_some());
    assert!(country.leaf("Outlying-US(Guam-USVI-etc)").is_some());
}

#[test]
fn a_hierarchy_covers_numbers_and_joins_them() -> Result<(), HierarchyError> {
    let ages = Dictionary::new(incrowd_core::Values::Integers((17..=90).collect()), false);
    let file = read(&data().join("hierarchies/adult_wong/age.csv"));
    let (tree, leaves) = Domain::for_column(&file, &ages)?;
    let nested = Domain::nested(&ages, &file)?;
    let join =
        |domain: &Domain, a: u32, b: u32| domain.render(domain.join(domain.leaf(a), domain.leaf(b))).into_owned();
    for (a, b, expected) in [(17, 19, "15-19"), (20, 29, "20-29"), (21, 39, "20-39"), (39, 40, "*"), (50, 50, "50")] {
        let (a, b) = (a - 17, b - 17);
        assert_eq!(join(&tree, leaves[a as usize], leaves[b as usize]), expected);
        assert_eq!(join(&nested, a, b), expected);
    }
    Ok(())
}

#[test]
fn lm_gives_the_figures_of_the_worked_example() {
    let path = data().join("golden/k_anon_cf_lm_measure.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let string = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let list = |value: &serde_json::Value| value.as_array().expect("a list").clone();

    let lines = case["hierarchies"]["item"].as_object().expect("one line per leaf").values();
    let lines: Vec<String> = lines.map(|line| list(line).iter().map(&string).collect::<Vec<_>>().join(";")).collect();
    let hierarchy = Hierarchy::read(&lines.join("\n")).expect("a hierarchy");
    let items: Vec<String> = list(&case["input"]).iter().map(|row| string(&row["item"])).collect();
    let dictionary = Dictionary::of_texts(items.iter().map(String::as_str));
    let codes: Vec<u32> = items.iter().map(|item| dictionary.code(item).expect("a value")).collect();
    let attribute = Attribute::new("item", Role::QuasiIdentifier, dictionary.clone());
    let table = FrequencyTable::from_tuples(vec![attribute], codes.iter().map(|&code| ([code], 1)));

    let (domain, leaves) = Domain::for_column(&hierarchy, &dictionary).expect("covered");
    let weighted = Weighted::of(&table, 0, &domain, &leaves);
    assert_eq!(weighted.rows().iter().sum::<u64>(), table.rows());
    let lm = LossEntry::find("lm").expect("LM is in the list");
    let prices = Prices::compile((lm.new)().as_ref(), &[weighted]);

    for (label, expected) in case["expected"]["d"].as_object().expect("prices by label") {
        let node = hierarchy.find(label).next().expect("a node");
        let cell = domain.span(*node.leaves().start(), *node.leaves().end());
        assert_eq!(Some(prices.price(0, cell)), expected.as_f64(), "{label}");
    }
    let mut total = 0.0;
    for class in list(&case["parameters"]["clusters"]) {
        let rows: Vec<usize> =
            list(&class).iter().map(|row| row.as_u64().expect("a row number") as usize - 1).collect();
        let cells = rows.iter().map(|&row| domain.leaf(leaves[codes[row] as usize]));
        let cell = cells.reduce(|a, b| domain.join(a, b)).expect("a class has rows");
        total += rows.len() as f64 * prices.row(&[cell]);
    }
    let close = |expected: &serde_json::Value, value: f64| (expected.as_f64().expect("a number") - value).abs() < 1e-12;
    assert!(close(&case["expected"]["ANON"], total), "{total}");
    assert!(close(&case["expected"]["Pi"], total / items.len() as f64));
}
