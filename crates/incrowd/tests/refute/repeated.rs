//! "The same table, plan and seed give the same classes, and with the recorded key the same bytes." The custodian holds the
//! table, the release and its record.

use incrowd::AnonymizeOptions;

use super::case::Wanted;
use super::published::{Data, Published, grouped};
use super::run::refute;

/// The classes with the rows of each. Which of several equal rows are in which class follows from the key.
fn classes(data: &Data, quasi: &[&str]) -> Vec<(Vec<Option<String>>, usize)> {
    grouped(data, quasi).into_iter().map(|(cells, rows)| (cells, rows.len())).collect()
}

#[test]
fn repeated_releases_have_the_same_bytes() {
    refute("repeated releases", Wanted::default(), |desk, release| {
        let options = AnonymizeOptions { seed: Some(4), ..release.case.options.clone() };
        for name in ["one", "two"] {
            desk.release(&options, name).map_err(|error| format!("refused the second time: {error}"))?;
        }
        let [one, two] = ["one", "two"].map(|name| Published::read(&desk.path(name)));
        let quasi = &release.case.quasi;
        // With a subject the classes follow from the key, too.
        if !release.case.subject && classes(&one.data[0], quasi) != classes(&two.data[0], quasi) {
            return Err("the same seed gives other classes".into());
        }
        let repeat = Some(desk.path("one.internal"));
        let again = AnonymizeOptions { repeat, seed: None, ..options };
        desk.release(&again, "again").map_err(|error| format!("not repeated: {error}"))?;
        for file in one.manifest["files"].as_array().unwrap() {
            let name = file["name"].as_str().unwrap();
            if std::fs::read(desk.path("one").join(name)).unwrap()
                != std::fs::read(desk.path("again").join(name)).unwrap()
            {
                return Err("the recorded key gives other bytes".into());
            }
        }
        Ok(true)
    });
}
