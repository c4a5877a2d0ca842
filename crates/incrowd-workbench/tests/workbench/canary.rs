//! No cell's value reaches the page before it is revealed: all that is sent on a walk through everything is searched.

use serde_json::{Value, json};

use super::client::Running;

/// Values that occur in no word of the program, and are long enough not to occur in a checksum or a time by chance.
const CANARIES: [&str; 6] = ["Qxzanne", "Vxbertville", "xkropsitis", "zzblue", "1917-03-04", "904172837"];

fn table() -> String {
    let mut text = String::from("name,birth,postcode,town,colour,illness\n");
    for row in 0..60 {
        let name = format!("Qxzanne{row}");
        let (town, colour) = (["Vxbertville", "Vxbertville-Ost", "Wyjkstadt"][row % 3], ["zzblue", "zzgreen"][row % 2]);
        let illness = ["xkropsitis", "ykrupp", "zkrank"][row % 3];
        text += &format!("{name},1917-03-{:02},90417283{},{town},{colour},{illness}\n", 4 + row % 20, row % 9);
    }
    text
}

fn assert_silent(heard: &str, screen: &str) {
    for canary in CANARIES {
        assert!(!heard.contains(canary), "{canary} was sent by {screen}");
    }
}

#[test]
fn no_value_is_sent_before_it_is_revealed() {
    let server = Running::with(|folder| std::fs::write(folder.join("people.csv"), table()).unwrap());
    let client = server.join();
    client.done(&client.post("/open", &json!({ "path": "people.csv" })));
    for path in [
        "/session",
        "/files",
        "/table",
        "/rows?count=50",
        "/columns",
        "/plan",
        "/risk",
        "/feasibility",
        "/lists",
        "/log",
        "/jobs",
    ] {
        client.get(path);
        assert_silent(&client.heard.borrow(), path);
    }
    let mut plan = client.get("/plan").json()["plan"].clone();
    plan["policy"]["k"] = 3.into();
    plan["policy"]["rule"] = json!([{ "model": "distinct-l-diversity", "column": "illness", "l": 2 }]);
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    for entry in plan["column"].as_array().unwrap() {
        let column = entry["name"].as_str().unwrap();
        client.get(&format!("/hierarchies/{column}"));
        client.get(&format!("/hierarchies/{column}/nodes/n0"));
        for hierarchy in [
            json!({ "build": "flat" }),
            json!({ "build": "prefix" }),
            json!({ "build": "dates" }),
            json!({ "intervals": [5] }),
        ] {
            client.post(&format!("/hierarchies/{column}/preview"), &json!({ "hierarchy": hierarchy }));
        }
        client.post(&format!("/hierarchies/{column}/edit"), &json!({ "action": { "kind": "start" } }));
        assert_silent(&client.heard.borrow(), column);
    }
    client.edit("POST", "/plan/confirm", &json!({ "all": true }));
    client.edit("POST", "/plan/save", &json!({}));
    let candidate = client.post("/candidates", &json!({ "changes": { "effort": 0.01 } }));
    let id = candidate.json()["candidate"].clone();
    client.done(&candidate);
    client.get("/candidates");
    assert_silent(&client.heard.borrow(), "candidates");
    client.job(&client.post("/lattice", &json!({})));
    client.done(&client.post("/compare", &json!({ "candidate": id, "queries": 20, "target": "illness" })));
    assert_silent(&client.heard.borrow(), "before and after");
    client.done(&client.post("/attack", &json!({ "candidate": id })));
    assert_silent(&client.heard.borrow(), "attacks");
    let released = client.done(&client.post("/release", &json!({ "path": "out" })));
    client.get("/release");
    client.done(&client.post("/verify", &json!({ "release": "out" })));
    client.done(&client.post("/report", &json!({ "release": "out" })));
    client.page(released["pages"]["public"].as_str().unwrap());
    client.page(released["pages"]["internal"].as_str().unwrap());
    client.get("/log");
    assert_silent(&client.heard.borrow(), "release");
    client.post("/reveal", &json!({ "column": "town" }));
    let rows = client.get("/rows?count=3").json();
    let shown: Vec<&Value> = rows["rows"][0].as_array().unwrap().iter().filter(|cell| !cell.is_null()).collect();
    assert_eq!(shown, [&json!("Vxbertville")], "the revealed column is shown, and no other");
}
