//! Each rule about who may ask, tried by somebody who may not.

use serde_json::json;

use super::client::Running;

#[test]
fn a_page_whose_name_was_rebound_to_loopback_gets_nothing() {
    let server = Running::start();
    let client = server.join();
    let port = server.address.port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        &format!("localhost:{port}"),
        "127.0.0.1",
        &format!("127.0.0.1:{port}.evil"),
        "",
    ] {
        let headers = [("Host", host), ("Cookie", client.cookie())];
        for path in ["/", "/api/session", "/workbench.js", "/nothing"] {
            let response = server.request("GET", path, &headers, "");
            assert_eq!((response.status, response.code()), (421, "host".into()), "{host} {path}");
        }
    }
    let twice = [("Host", "evil.example"), ("Host", server.host().as_str()), ("Cookie", client.cookie())]
        .map(|(name, value)| (name, value.to_owned()));
    let twice: Vec<(&str, &str)> = twice.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_ne!(server.request("GET", "/api/session", &twice, "").status, 200);
}

#[test]
fn a_token_works_once_and_leaves_the_address() {
    let server = Running::start();
    let client = server.join();
    assert_eq!(client.get("/session").status, 200);
    let again = server.request("GET", &format!("/?token={}", server.token()), &[("Host", &server.host())], "");
    assert!(again.status == 403 && again.header("set-cookie").is_none(), "{again:?}");
    let wrong = server.request("GET", "/?token=0000", &[("Host", &server.host())], "");
    assert_eq!(wrong.status, 403);
}

#[test]
fn the_cookie_is_closed_to_scripts_and_to_other_sites() {
    let server = Running::start();
    let response = server.request("GET", &format!("/?token={}", server.token()), &[("Host", &server.host())], "");
    let cookie = response.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/"), "{cookie}");
}

#[test]
fn without_the_cookie_there_is_the_empty_page_and_nothing_else() {
    let server = Running::start();
    let host = server.host();
    assert_eq!(server.request("GET", "/", &[("Host", &host)], "").status, 200);
    for path in ["/api/session", "/api/files", "/api/log", "/pages/public/release", "/api/openapi.json"] {
        let response = server.request("GET", path, &[("Host", &host), ("Cookie", "incrowd-1=x; a=b")], "");
        assert_eq!((response.status, response.code()), (401, "session".into()), "{path}");
    }
}

#[test]
fn forms_and_scripts_of_other_pages_change_nothing() {
    let server = Running::start();
    let client = server.join();
    let (host, own) = (server.host(), format!("http://{}", server.host()));
    let cookie = ("Cookie", client.cookie());
    let post = |headers: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> = [("Host", host.as_str()), cookie].iter().chain(headers).copied().collect();
        server.request("POST", "/api/open", &all, "{\"path\":\"people.csv\"}").status
    };
    let json = ("Content-Type", "application/json");
    // A form, and a script that avoids a preflight.
    assert_eq!(post(&[("Origin", "http://evil.example"), ("Content-Type", "application/x-www-form-urlencoded")]), 403);
    assert_eq!(post(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "text/plain")]), 415);
    assert_eq!(
        post(&[
            ("Origin", &own),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "multipart/form-data; boundary=x")
        ]),
        415
    );
    assert_eq!(post(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin")]), 415);
    // Other origins, and none.
    for origin in ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:1"] {
        assert_eq!(post(&[("Origin", origin), ("Sec-Fetch-Site", "same-origin"), json]), 403, "{origin}");
    }
    assert_eq!(post(&[("Sec-Fetch-Site", "same-origin"), json]), 403);
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(post(&[("Origin", &own), ("Sec-Fetch-Site", site), json]), 403, "{site}");
    }
    assert_eq!(post(&[("Origin", &own), json]), 403);
    assert!(client.get("/session").json()["opened"].is_null(), "nothing was opened");
    assert_eq!(post(&[("Origin", &own), ("Sec-Fetch-Site", "same-origin"), json]), 202);
}

#[test]
fn a_question_of_another_site_is_refused_even_with_the_cookie() {
    let server = Running::start();
    let client = server.join();
    let headers = |site| [("Host", server.host()), ("Cookie", client.cookie().into()), ("Sec-Fetch-Site", site)];
    for site in ["cross-site", "same-site"] {
        let headers = headers(site.to_owned());
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(server.request("GET", "/api/session", &headers, "").status, 403);
    }
}

#[test]
fn every_answer_forbids_storing_framing_and_loading_from_elsewhere() {
    let server = Running::start();
    let client = server.join();
    let missing = server.request("GET", "/api/session", &[("Host", &server.host())], "");
    for response in
        [client.page("/"), client.page("/workbench.js"), client.get("/session"), client.get("/nothing"), missing]
    {
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(response.header("cache-control"), Some("no-store"));
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert!(!response.head.to_lowercase().contains("access-control"), "{}", response.head);
    }
    let asked = [
        ("Host", server.host()),
        ("Origin", "http://evil.example".into()),
        ("Access-Control-Request-Method", "POST".into()),
    ];
    let asked: Vec<(&str, &str)> = asked.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let preflight = server.request("OPTIONS", "/api/open", &asked, "");
    assert!(preflight.status >= 400 && !preflight.head.to_lowercase().contains("access-control"), "{preflight:?}");
}

#[test]
fn only_loopback_is_listened_on() {
    let server = Running::start();
    assert!(server.address.ip().is_loopback());
}

#[test]
fn files_outside_the_folder_are_out_of_reach() {
    let server = Running::start();
    let client = server.join();
    let outside = server.folder.path().parent().unwrap().join("outside.csv");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", server.folder.path().join("link")).unwrap();
    for path in [
        "../outside.csv",
        "/etc/passwd",
        "link/passwd",
        "link",
        "sub/../../x",
        outside.to_str().unwrap(),
        "..",
        "a\u{0}b",
    ] {
        let response = client.post("/open", &json!({ "path": path }));
        assert!(matches!(response.status, 403 | 404), "{path}: {response:?}");
    }
    for path in ["/files?folder=..", "/files?folder=%2Fetc", "/files?folder=link", "/files?folder=..%2F.."] {
        assert_eq!(client.get(path).status, 403, "{path}");
    }
    for path in ["/pages/public/../../etc", "/pages/public/%2e%2e/%2e%2e/etc", "/pages/internal/link/x"] {
        assert!(matches!(client.page(path).status, 400 | 403 | 404), "{path}");
    }
    let names = client.get("/files").json()["entries"].to_string();
    assert!(names.contains("people.csv") && !names.contains("link"), "{names}");
    let opened = client.post("/open", &json!({ "path": "people.csv" }));
    client.done(&opened);
    for path in ["../plan.toml", "/tmp/plan.toml", "link/plan.toml"] {
        assert_eq!(client.edit("POST", "/plan/save", &json!({ "path": path })).status, 403, "{path}");
        assert_eq!(client.post("/release", &json!({ "path": path })).status, 403, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_plan_cannot_reach_a_table_outside_the_folder() {
    let server = Running::start();
    let client = server.join();
    let plan = "version = 1\n[source]\npath = \"/etc/passwd\"\n[policy]\nk = 2\n";
    std::fs::write(server.folder.path().join("plan.toml"), plan).unwrap();
    let job = client.job(&client.post("/open", &json!({ "path": "plan.toml" })));
    assert_eq!(job["state"], "failed", "{job}");
}

#[test]
fn a_plan_cannot_read_or_write_files_outside_the_folder() {
    let server = Running::start();
    let client = server.join();
    client.done(&client.post("/open", &json!({ "path": "people.csv" })));
    let outside = server.folder.path().parent().unwrap().join("outside-ages.csv");
    std::fs::write(&outside, "34;*\n").unwrap();
    let planned = client.get("/plan").json()["plan"].clone();
    for file in ["../outside-ages.csv", outside.to_str().unwrap()] {
        let mut plan = planned.clone();
        let columns = plan["column"].as_array_mut().unwrap();
        columns.iter_mut().find(|column| column["name"] == "age").unwrap()["hierarchy"] = json!({ "file": file });
        assert_eq!(client.edit("PUT", "/plan", &json!({ "plan": plan })).status, 200);
        for path in ["/candidates", "/lattice"] {
            assert_eq!(client.post(path, &json!({})).code(), "outside", "{path} {file}");
        }
        assert_eq!(client.get("/feasibility").code(), "outside", "{file}");
        assert_eq!(client.get("/hierarchies/age").code(), "outside", "{file}");
    }
    for file in ["../outside-ages.csv", outside.to_str().unwrap()] {
        let mut plan = planned.clone();
        plan["population"] = json!({ "path": file, "k_map": 2 });
        assert_eq!(client.edit("PUT", "/plan", &json!({ "plan": plan })).status, 200);
        assert_eq!(client.post("/candidates", &json!({})).code(), "outside", "a population in {file}");
        assert_eq!(client.get("/feasibility").code(), "outside", "a population in {file}");
    }
    let mut plan = planned;
    plan["release"] = json!({ "ledger": "../ledger.json" });
    client.edit("PUT", "/plan", &json!({ "plan": plan }));
    client.edit("POST", "/plan/confirm", &json!({ "all": true }));
    client.edit("POST", "/plan/save", &json!({}));
    assert_eq!(client.post("/release", &json!({ "path": "out" })).code(), "outside");
    std::fs::remove_file(outside).unwrap();
}

#[test]
fn the_page_for_the_browser_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let options = incrowd_workbench::ServeOptions {
        folder: folder.path().into(),
        opened: None,
        settings: Default::default(),
        port: None,
        idle: std::time::Duration::from_secs(60),
    };
    let server = incrowd_workbench::Server::bind(&options).unwrap();
    let page = server.private_page().unwrap();
    assert!(std::fs::read_to_string(&page).unwrap().contains(&server.url()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = page
            .ancestors()
            .skip(1)
            .any(|folder| std::fs::metadata(folder).is_ok_and(|facts| facts.permissions().mode() & 0o077 == 0));
        assert!(closed, "no other user can enter one of its folders");
    }
}
