//! Hierarchies, as the program and the verifier read them.

use std::collections::BTreeMap;

use incrowd_core::{Hierarchy, HierarchyReadOptions};
use incrowd_verify::{Against, Format, Options, Technique, verify_staged};

use super::releases::{MEMORY, manifest_of};
use super::scratch::{CELL, assert_silent, folder};

/// Read by the program, written and read again; and read by the verifier.
pub(super) fn hierarchy(data: &[u8]) -> bool {
    let mut accepted = false;
    if let Ok(text) = std::str::from_utf8(data) {
        let ragged = HierarchyReadOptions { ragged: true, ..HierarchyReadOptions::default() };
        for read in [Hierarchy::read(text), Hierarchy::read_with(text, ragged)] {
            match read {
                Ok(hierarchy) => {
                    accepted = true;
                    let again = Hierarchy::read(&hierarchy.write()).map(|again| again.height());
                    assert_eq!(again.ok(), Some(hierarchy.height()), "a hierarchy that was written cannot be read");
                }
                Err(error) => assert_silent(&error.to_string(), b""),
            }
        }
    }
    // Both readers, so that neither is tried with nothing but refusals.
    verified(data) && accepted
}

/// A hierarchy as the verifier reads it, of a release with generalized ages.
fn verified(data: &[u8]) -> bool {
    let (folder, elsewhere) = (folder(), folder());
    let released = format!("age,sex,diagnosis\n30s,f,{CELL}\n30s,f,cold\n*,m,flu\n*,m,cold\n");
    let mut manifest = manifest_of("data.csv", Format::Csv, released.as_bytes());
    manifest.columns[0].technique = Technique::Generalized;
    std::fs::write(folder.path().join("data.csv"), &released).unwrap();
    let [original, tree] = ["original.csv", "tree.csv"].map(|name| elsewhere.path().join(name));
    std::fs::write(&original, format!("age,sex,diagnosis\n34,f,{CELL}\n34,f,cold\n71,m,flu\n71,m,cold\n")).unwrap();
    std::fs::write(&tree, data).unwrap();
    let against = Against { hierarchies: BTreeMap::from([("age".to_owned(), tree)]), ..Against::csv(original) };
    let options = Options { against: Some(against), memory: Some(MEMORY), ..Options::default() };
    match verify_staged(folder.path(), &manifest, &options) {
        Ok(verdict) => {
            verdict.faults.iter().for_each(|fault| assert_silent(&fault.message, b""));
            verdict.faults.is_empty()
        }
        Err(error) => {
            assert_silent(&error.to_string(), b"");
            false
        }
    }
}
