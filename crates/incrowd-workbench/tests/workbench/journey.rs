//! From a file to a verified release, asked as the page asks.

use std::path::Path;

use serde_json::{Value, json};

use super::client::{Client, Running, TABLE};

pub(super) fn opened(server: &Running) -> Client<'_> {
    let client = server.join();
    let result = client.done(&client.post("/open", &json!({ "path": "people.csv" })));
    assert_eq!(result["kind"], "table");
    client
}

/// Gives a column a role in the plan.
fn set_role(client: &Client<'_>, column: &str, role: &str) -> Value {
    let mut plan = client.get("/plan").json()["plan"].clone();
    let entries = plan["column"].as_array_mut().unwrap();
    let entry = entries.iter_mut().find(|entry| entry["name"] == column).unwrap();
    entry["role"] = role.into();
    if role != "quasi-identifier" {
        entry.as_object_mut().unwrap().remove("hierarchy");
    }
    let response = client.edit("PUT", "/plan", &json!({ "plan": plan }));
    assert_eq!(response.status, 200, "{response:?}");
    response.json()
}

#[test]
fn a_change_of_role_is_answered_from_memory_as_check_answers() {
    let server = Running::start();
    let client = opened(&server);
    for (column, role) in
        [("town", "sensitive"), ("town", "quasi-identifier"), ("age", "insensitive"), ("illness", "quasi-identifier")]
    {
        set_role(&client, column, role);
        let live = client.get("/risk").json();
        assert_eq!(live["ready"], true, "{live}");
        client.edit("POST", "/plan/save", &json!({ "overwrite": true }));
        let engine = incrowd::Engine::new(&Default::default()).unwrap();
        let plan = incrowd::request::Plan::read(&server.folder.path().join("incrowd.toml")).unwrap();
        let path = server.folder.path().join("people.csv");
        let source = incrowd::Source::open(&engine, path.to_str().unwrap(), plan.read_options()).unwrap();
        let options = incrowd::CheckOptions { declared: plan.declared(), k: 5, ..Default::default() };
        let check = serde_json::to_value(incrowd::check(&engine, &source, &options).unwrap()).unwrap();
        for key in [
            "k",
            "classes",
            "unique_rows",
            "rows_below_k",
            "verdict",
            "dangerous_sets",
            "largest_safe",
            "curve",
            "quasi_identifiers",
            "complete",
            "safe",
        ] {
            assert_eq!(live[key], check[key], "{column} {role} {key}");
        }
        let attributes = |answer: &Value| answer["attributes"].clone();
        assert_eq!(attributes(&live), attributes(&check), "{column} {role}");
    }
}

#[test]
fn changes_of_the_plan_are_seen_undone_and_guarded_by_its_tag() {
    let server = Running::start();
    let client = opened(&server);
    let before = client.get("/plan").json();
    assert!(
        before["saved"] == false && before["file_exists"] == false && !before["diff"].as_array().unwrap().is_empty()
    );
    let changed = set_role(&client, "town", "sensitive");
    assert!(changed["undo"] == true && changed["etag"] != before["etag"]);
    let headers_of_before = client.send("PUT", "/plan", &json!({ "text": before["text"] }));
    assert_eq!((headers_of_before.status, headers_of_before.code()), (412, "changed".into()));
    let undone = client.edit("POST", "/plan/undo", &json!({})).json();
    assert_eq!(undone["text"], before["text"]);
    assert_eq!(client.edit("POST", "/plan/redo", &json!({})).json()["text"], changed["text"]);
    let saved = client.edit("POST", "/plan/save", &json!({})).json();
    assert!(saved["saved"] == true && saved["diff"].as_array().unwrap().is_empty());
    std::fs::write(server.folder.path().join("incrowd.toml"), "# somebody else").unwrap();
    set_role(&client, "town", "insensitive");
    assert_eq!(client.edit("POST", "/plan/save", &json!({})).code(), "exists");
}

#[test]
fn a_promise_that_changes_has_to_be_confirmed_again() {
    let server = Running::start();
    let client = opened(&server);
    ready(&client);
    let with = |change: fn(&mut Value)| {
        let mut plan = client.get("/plan").json()["plan"].clone();
        change(&mut plan);
        client.edit("PUT", "/plan", &json!({ "plan": plan })).json()["unconfirmed"]["policy"].clone()
    };
    assert_eq!(with(|plan| plan["release"] = json!({ "format": "csv" })), false, "the promise is the same");
    assert_eq!(with(|plan| plan["policy"]["k"] = 1.into()), true);
    assert_eq!(client.edit("POST", "/plan/undo", &json!({})).json()["unconfirmed"]["policy"], false);
    assert_eq!(with(|plan| plan["policy"]["suppress"] = 0.5.into()), true);
}

#[test]
fn hierarchies_are_previewed_edited_and_saved_as_files() {
    let server = Running::start();
    let client = opened(&server);
    let hidden = client.get("/hierarchies/age").json();
    assert!(
        hidden["root"]["label"].is_null()
            && hidden["samples"].is_null()
            && hidden["coverage"]["values"] == hidden["coverage"]["covered"]
    );
    let bands = client.post("/hierarchies/age/preview", &json!({ "hierarchy": { "intervals": [10] } })).json();
    assert_eq!((&bands["levels"], &bands["level_sizes"]), (&json!(2), &json!([7, 2, 1])));
    assert_eq!(client.post("/hierarchies/age/edit", &json!({ "action": { "kind": "start" } })).code(), "reveal");
    client.post("/reveal", &json!({ "column": "town" }));
    let tree = client.post("/hierarchies/town/edit", &json!({ "action": { "kind": "start" } })).json();
    let towns = tree["root"]["children"].as_array().unwrap();
    let ids: Vec<&Value> = towns.iter().map(|town| &town["id"]).collect();
    let action = json!({ "kind": "group", "nodes": ids, "label": "Alps" });
    let grouped = client.post("/hierarchies/town/edit", &json!({ "action": action })).json();
    assert_eq!(
        (&grouped["root"]["children"][0]["label"], &grouped["root"]["children"][0]["rows"]),
        (&json!("Alps"), &json!(8))
    );
    let saved = client.post("/hierarchies/town/save", &json!({})).json();
    assert!(saved["text"].as_str().unwrap().contains("hierarchies/town.csv"), "{saved}");
    let text = std::fs::read_to_string(server.folder.path().join("hierarchies/town.csv")).unwrap();
    assert_eq!(text, "Graz;Alps;*\nUlm;Alps;*\n");
    client.post("/hierarchies/town/edit", &json!({ "action": { "kind": "start" } }));
    assert_eq!(client.post("/hierarchies/town/save", &json!({})).code(), "exists", "no file is overwritten unasked");
    let part = client.get("/hierarchies/age/nodes/n0").json();
    assert!(part["children"].is_array());
}

#[test]
fn what_cannot_be_promised_is_said_at_once() {
    let server = Running::start();
    let client = opened(&server);
    let mut plan = client.get("/plan").json()["plan"].clone();
    plan["policy"]["k"] = 2.into();
    plan["policy"]["rule"] = json!([{ "model": "distinct-l-diversity", "column": "illness", "l": 9 }]);
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    let found = client.get("/feasibility").json();
    assert_eq!(found["feasible"], false, "{found}");
    assert_eq!(found["rules"][1]["nearest"], json!({ "parameter": "l", "value": 3.0 }));
    plan["policy"]["rule"][0]["l"] = 3.into();
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    assert_eq!(client.get("/feasibility").json()["feasible"], true);
}

/// The plan with k = 2, confirmed and saved.
pub(super) fn ready(client: &Client<'_>) {
    let mut plan = client.get("/plan").json()["plan"].clone();
    plan["policy"]["k"] = 2.into();
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    assert_eq!(client.edit("POST", "/plan/confirm", &json!({ "all": true })).json()["unconfirmed"]["policy"], false);
    assert_eq!(client.edit("POST", "/plan/save", &json!({})).json()["saved"], true);
}

fn bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("data.csv")).unwrap()
}

#[test]
fn a_candidate_that_was_looked_at_is_published_with_the_same_bytes_and_verified() {
    let server = Running::start();
    let client = opened(&server);
    ready(&client);
    let started = client.post("/candidates", &json!({ "changes": { "effort": 0.01 } }));
    let (id, figures) = (started.json()["candidate"].clone(), client.done(&started));
    assert!(figures["loss"].as_f64().unwrap() > 0.0 && figures["smallest_class"].as_u64().unwrap() >= 2, "{figures}");
    let other = client.done(&client.post("/candidates", &json!({ "changes": { "k": 4, "effort": 0.01 } })));
    assert!(other["loss"].as_f64() > figures["loss"].as_f64());
    let list = client.get("/candidates").json();
    assert_eq!(list["candidates"].as_array().unwrap().len(), 2);
    let pinned = client.send("PATCH", &format!("/candidates/{id}"), &json!({ "pinned": true, "name": "ours" })).json();
    assert_eq!((&pinned["candidates"][0]["pinned"], &pinned["candidates"][0]["name"]), (&json!(true), &json!("ours")));
    let compared = client.done(&client.post("/compare", &json!({ "candidate": id, "queries": 20 })));
    let distributions = compared["releases"][0]["distributions"].as_array().unwrap();
    assert!(
        !distributions.is_empty() && distributions.iter().all(|one| one["bars"][0]["label"].is_null()),
        "{compared}"
    );
    let attacked = client.done(&client.post("/attack", &json!({ "candidate": id })));
    assert!(attacked["attacks"].as_array().unwrap().iter().any(|one| one["attack"] == "prosecutor"));
    client.post(&format!("/candidates/{id}/use"), &json!({}));
    assert_eq!(client.post("/release", &json!({ "path": "out" })).code(), "unsaved");
    client.edit("POST", "/plan/save", &json!({}));
    let released = client.done(&client.post("/release", &json!({ "path": "out", "candidate": id })));
    assert_eq!(released["verified"], true);
    let verdict = client.done(&client.post("/verify", &json!({ "release": "out" })));
    assert_eq!(verdict["verified"], true, "{verdict}");
    assert_eq!(client.post("/release", &json!({ "path": "out" })).code(), "exists");
    // The command line that the page shows gives the same bytes, with the key of the record.
    let plan_path = server.folder.path().join("incrowd.toml");
    let plan = incrowd::request::Plan::read(&plan_path).unwrap().of_file(&plan_path);
    let engine = incrowd::Engine::new(&Default::default()).unwrap();
    let source = incrowd::Source::open(&engine, &plan.source.path, plan.read_options()).unwrap();
    let mut options = plan.options(source.format()).unwrap();
    options.repeat = Some(server.folder.path().join("out.internal"));
    let again = server.folder.path().join("again");
    incrowd::anonymize(&engine, &source, &options, &again).unwrap();
    assert_eq!(bytes(&again), bytes(&server.folder.path().join("out")));
    let page = client.page(released["pages"]["public"].as_str().unwrap());
    assert!(page.status == 200 && page.body.contains("<html"), "{}", page.head);
    assert!(page.header("content-security-policy").unwrap().contains("style-src 'sha256-"));
    assert_eq!(client.page(released["pages"]["internal"].as_str().unwrap()).status, 200);
}

#[test]
fn an_unconfirmed_plan_is_not_released() {
    let server = Running::start();
    let client = opened(&server);
    client.edit("POST", "/plan/save", &json!({}));
    let refused = client.post("/release", &json!({ "path": "out" }));
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(!server.folder.path().join("out").exists());
}

#[test]
fn a_release_of_somebody_else_is_opened_verified_asked_and_attacked_without_its_record() {
    let server = Running::start();
    let client = opened(&server);
    ready(&client);
    client.done(&client.post("/release", &json!({ "path": "out" })));
    client.post("/close", &json!({}));
    std::fs::remove_dir_all(server.folder.path().join("out.internal")).unwrap();
    std::fs::remove_file(server.folder.path().join("people.csv")).unwrap();
    let opened = client.done(&client.post("/open", &json!({ "path": "out" })));
    assert_eq!(opened["kind"], "release");
    let view = client.get("/release").json();
    assert!(view["has_record"] == false && view["original"].is_null() && view["rows"] == 8, "{view}");
    assert_eq!(client.done(&client.post("/verify", &json!({ "release": "out" })))["verified"], true);
    let answered =
        client.done(&client.post("/query", &json!({ "release": "out", "sql": "SELECT COUNT(*) WHERE sex = 'f'" })));
    assert!(answered["lower"].as_f64().unwrap() <= 4.0 && answered["upper"].as_f64().unwrap() >= 4.0, "{answered}");
    let attacked = client.done(&client.post("/attack", &json!({ "release": "out" })));
    assert!(!attacked["not_run"].as_array().unwrap().is_empty());
    let mut text = std::fs::read_to_string(server.folder.path().join("out/data.csv")).unwrap();
    text += "1,2,3\n";
    std::fs::write(server.folder.path().join("out/data.csv"), text).unwrap();
    let job = client.job(&client.post("/open", &json!({ "path": "out" })));
    assert_eq!(job["state"], "failed", "a changed release is not opened: {job}");
}

#[test]
fn a_search_is_ended_early_with_its_best_result_and_says_so() {
    let server = Running::with(|folder| {
        let mut text = String::from("age,height,town,illness\n");
        for row in 0..3_000u32 {
            text += &format!("{},{},t{},i{}\n", 20 + row * 7 % 61, 150 + row * 13 % 45, row * 31 % 23, row % 9);
        }
        std::fs::write(folder.join("people.csv"), text).unwrap();
    });
    let client = opened(&server);
    let started = client.post("/candidates", &json!({ "changes": { "effort": 1000 } }));
    let job = started.json()["job"].clone();
    // As soon as something was found.
    while client.get(&format!("/jobs/{job}")).json()["curve"].as_array().is_none_or(Vec::is_empty) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    client.post(&format!("/jobs/{job}/finish"), &json!({}));
    let figures = client.done(&started);
    assert_eq!((&figures["cut_short"], &figures["verified"]), (&json!(true), &json!(true)), "{figures}");
    let notes = figures["notes"].to_string();
    assert!(notes.contains("ended early") && !notes.contains("time limit"), "{notes}");
}

#[test]
fn a_cancelled_job_ends_without_a_result() {
    let server = Running::with(|folder| {
        let rows: String = (0..20_000).map(|row| format!("{},{},{}\n", row % 91, row % 83, row % 7)).collect();
        std::fs::write(folder.join("people.csv"), format!("age,height,town\n{rows}")).unwrap();
    });
    let client = opened(&server);
    let started = client.post("/candidates", &json!({ "changes": { "effort": 1000 } }));
    let job = started.json()["job"].clone();
    client.send("DELETE", &format!("/jobs/{job}"), &json!({}));
    assert_eq!(client.job(&started)["state"], "cancelled");
}

#[test]
fn a_lattice_measures_every_full_domain_recoding() {
    let server = Running::start();
    let client = opened(&server);
    let mut plan = client.get("/plan").json()["plan"].clone();
    for entry in plan["column"].as_array_mut().unwrap() {
        if entry["name"] == "age" {
            entry["hierarchy"] = json!({ "intervals": [10] });
        }
    }
    plan["policy"]["k"] = 2.into();
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    let lattice = client.done(&client.post("/lattice", &json!({})));
    let nodes = lattice["nodes"].as_array().unwrap();
    let heights: Vec<u64> = lattice["heights"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    assert_eq!(nodes.len() as u64, heights.iter().map(|height| height + 1).product::<u64>());
    assert!(nodes[0]["k"] == 1 && nodes[nodes.len() - 1]["k"] == 8, "{lattice}");
    assert_eq!((&nodes[0]["loss"], &nodes[nodes.len() - 1]["loss"]), (&json!(0.0), &json!(1.0)));
}

#[test]
fn every_question_of_the_description_is_answered() {
    let server = Running::start();
    let client = opened(&server);
    let description = client.get("/openapi.json").json();
    for (path, methods) in description["paths"].as_object().unwrap() {
        if methods.get("get").is_some() && !path.contains('{') && path != "/api/release" {
            assert_eq!(client.page(path).status, 200, "{path}");
        }
    }
    assert!(TABLE.contains("Ada"));
}
