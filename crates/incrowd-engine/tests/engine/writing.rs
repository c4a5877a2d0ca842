//! What is written can be read again, and a file bears its name only when it is complete.

use incrowd_core::{Chunk, ChunkColumn};
use incrowd_engine::{TableWriter, Target};

use crate::support::{Desk, assert_refused, tuples, whole};

fn chunk() -> Chunk {
    Chunk {
        columns: vec![
            ("age".into(), ChunkColumn::Integers(vec![30, 30, -1])),
            ("born".into(), ChunkColumn::Dates(vec![3745, 3745, 0])),
            ("name".into(), ChunkColumn::Texts(vec!["a, \"b\"\nc".into(), "a, \"b\"\nc".into(), String::new()])),
            (
                "town".into(),
                ChunkColumn::Labels { codes: vec![0, 0, 1], labels: ["Ulm", "Wien"].map(String::from).into() },
            ),
        ],
    }
}

#[test]
fn a_table_is_read_as_it_was_written_in_every_format() {
    let desk = Desk::new();
    let mut first = None;
    for name in ["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.arrow"] {
        let path = desk.path(name);
        let mut writer = TableWriter::new(Target::new(path.as_ref()).unwrap());
        writer.write(&chunk()).unwrap();
        writer.write(&chunk()).unwrap();
        assert!(!std::path::Path::new(&path).exists(), "no name before the end");
        writer.finish().unwrap();
        let answer = desk.count(&path, &["age", "born", "name", "town"]).unwrap();
        assert_eq!((answer.rows, answer.sizes.histogram()), (6, &[(2, 1), (4, 1)][..]), "{name}");
        let found = tuples(whole(&answer));
        assert_eq!(*first.get_or_insert(found.clone()), found, "{name}");
    }
}

#[test]
fn a_writer_that_gives_up_leaves_no_file() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("out")).unwrap();
    let mut writer = TableWriter::new(Target::new(desk.path("out/t.csv").as_ref()).unwrap());
    writer.write(&chunk()).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(desk.path("out")).unwrap().count(), 0);
    let path = desk.path("out/none.csv");
    let words = format!("{path}: the table has no rows");
    let writer = TableWriter::new(Target::new(path.as_ref()).unwrap());
    assert_refused(writer.finish(), "IC403", &words, "check that the export wrote rows");
}
