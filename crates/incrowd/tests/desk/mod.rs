//! A table of made-up people in a folder of its own, and releases of it.

use std::path::PathBuf;

use incrowd::{AnonymizeOptions, Declared, Engine, ReadOptions, Settings, Source, anonymize};

/// A folder with `people.csv`.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    pub(crate) engine: Engine,
}

impl Desk {
    /// 400 people whose illness hangs on their age, not on their town. One of the illnesses is a canary.
    pub(crate) fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
        let desk = Desk { engine: Engine::new(&settings).unwrap(), folder };
        let mut text = String::from("name,age,town,illness\n");
        for row in 0..400u64 {
            let mixed = row * 7919 % 1009;
            let (age, town) = (20 + mixed % 40, ["Ulm", "Bonn", "Wien"][(mixed / 41 % 3) as usize]);
            let illness = ["flu", "cold", "gout", "ZQX-CANARY"][((age / 10 + mixed / 97) % 4) as usize];
            text += &format!("P{row},{age},{town},{illness}\n");
        }
        std::fs::write(desk.path("people.csv"), text).unwrap();
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn source(&self) -> Source {
        self.source_on(&self.engine)
    }

    /// The table as another engine reads it.
    pub(crate) fn source_on(&self, engine: &Engine) -> Source {
        Source::open(engine, &self.path("people.csv").display().to_string(), ReadOptions::default()).unwrap()
    }

    /// A release: who is who is not asked, age and town are known, the illness is not.
    pub(crate) fn release(&self, name: &str, options: AnonymizeOptions) -> PathBuf {
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
        let declared = Declared {
            quasi_identifiers: names(&["age", "town"]),
            sensitive: names(&["illness"]),
            identifiers: names(&["name"]),
            ..Declared::default()
        };
        let options = AnonymizeOptions { declared, seed: Some(3), bound: false, ..options };
        anonymize(&self.engine, &self.source(), &options, &self.path(name)).unwrap();
        self.path(name)
    }
}
