//! Whatever is done to a release or its record after it was opened, no route answers from it.

use std::path::Path;

use serde_json::json;

use super::client::{Client, Running};
use super::journey::{opened, ready};

type Tampering = (&'static str, fn(&Path));

const TAMPERINGS: &[Tampering] = &[
    ("a byte of the data changed", |folder| edit(&folder.join("out/data.csv"), "sex", "Sex")),
    ("the manifest edited", |folder| {
        edit(&folder.join("out/manifest.json"), "\"suppressed_rows\": 0", "\"suppressed_rows\": 1");
    }),
    ("the report page edited", |folder| edit(&folder.join("out/report.html"), "<html", "<HTML")),
    ("a file added", |folder| std::fs::write(folder.join("out/data2.csv"), "age\n30\n").unwrap()),
    ("the record edited", |folder| edit(&folder.join("out.internal/record.json"), "\"age\"", "\"sex\"")),
];

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: {from}", path.display());
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The jobs that read a release, and what each of them says.
fn answers(client: &Client<'_>) -> Vec<(&'static str, bool)> {
    let release = json!({ "release": "out" });
    let asked = json!({ "release": "out", "sql": "SELECT COUNT(*)" });
    let done = |path: &str, body| client.job(&client.post(path, body))["state"] == "done";
    let verified = client.job(&client.post("/verify", &release))["result"]["verified"] == true;
    vec![
        ("open", done("/open", &json!({ "path": "out" }))),
        ("view", client.get("/release").status == 200),
        ("verify", verified),
        ("query", done("/query", &asked)),
        ("attack", done("/attack", &release)),
        ("compare", done("/compare", &release)),
        ("public page", client.page("/pages/public/out").status == 200),
        ("internal page", client.page("/pages/internal/out").status == 200),
    ]
}

#[test]
fn a_release_that_was_changed_is_answered_from_by_no_route() {
    for (what, tamper) in TAMPERINGS {
        let server = Running::start();
        let client = opened(&server);
        ready(&client);
        client.done(&client.post("/release", &json!({ "path": "out" })));
        client.post("/close", &json!({}));
        client.done(&client.post("/open", &json!({ "path": "out" })));
        let before = answers(&client);
        assert!(before.iter().all(|(_, answered)| *answered), "{what}: {before:?}");
        tamper(server.folder.path());
        let after = answers(&client);
        assert!(after.iter().all(|(_, answered)| !answered), "{what}: {after:?}");
    }
}
