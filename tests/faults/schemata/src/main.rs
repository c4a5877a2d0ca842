//! Writes all mutants of a crate into its sources, each switched on by a number.
//!
//!     schemata ROOT FIRST FORMS PLACE...
//!
//! ROOT is a copy of the repository, each PLACE a file or a folder in it whose Rust files are rewritten. FIRST is the number of
//! the first mutant. FORMS is a JSON file that names, by number, the mutants which did not compile: 1 asks for a form that
//! repeats the operands, 2 leaves the mutant out. Standard output gets a JSON list of the mutants with their places: where they
//! are in the original, and which bytes of the rewritten file belong to them.

mod change;
mod find;
mod render;
mod sources;
mod swaps;
mod values;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [root, first, forms, places @ ..] = words.as_slice() else {
        panic!("usage: schemata ROOT FIRST FORMS PLACE...")
    };
    let root = Path::new(root);
    let mut next: u32 = first.parse().expect("a number");
    let forms: HashMap<String, u8> =
        serde_json::from_str::<HashMap<String, Value>>(&std::fs::read_to_string(forms).expect("the forms can be read"))
            .expect("the forms are JSON")
            .into_iter()
            .map(|(id, form)| (id, if form == json!(1) { 1 } else { 2 }))
            .collect();
    let mut mutants = Vec::new();
    for path in sources::of(root, places) {
        let text = std::fs::read_to_string(root.join(&path)).expect("a source can be read");
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let edits = find::edits(&text, &parsed, &mut next);
        let form = |id: u32| forms.get(&id.to_string()).copied().unwrap_or(0);
        let (rewritten, ranges) = render::file(&text, &edits, &form);
        std::fs::write(root.join(&path), rewritten).expect("a source can be written");
        for mutant in edits.iter().flat_map(|edit| &edit.mutants) {
            let (line, column) = place(&text, mutant.at);
            mutants.push(json!({
                "id": mutant.id, "file": path, "line": line, "column": column, "in": mutant.function,
                "from": mutant.from, "to": mutant.to, "bytes": ranges.get(&mutant.id).cloned().unwrap_or_default(),
            }));
        }
    }
    println!("{}", Value::from(mutants));
}

/// The line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
