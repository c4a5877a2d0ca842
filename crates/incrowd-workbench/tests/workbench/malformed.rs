//! Requests that make no sense end as errors, and the server lives.

use serde_json::json;

use super::client::Running;

/// A generator whose stream is fixed, so that a failure can be repeated.
struct Stream(u64);

impl Stream {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % below
    }
}

#[test]
fn ten_thousand_malformed_requests_are_survived() {
    let server = Running::start();
    let client = server.join();
    client.done(&client.post("/open", &json!({ "path": "people.csv" })));
    let good = format!(
        "POST /api/plan/save HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nOrigin: http://{}\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/json\r\nIf-Match: x\r\nConnection: close\r\nContent-Length: 21\r\n\r\n{{\"path\": \"\\u0000x.toml\"}}",
        server.host(),
        client.cookie(),
        server.host()
    );
    let mut stream = Stream(7);
    let mut malformed = || {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=stream.next(6) {
            let at = stream.next(bytes.len());
            match stream.next(4) {
                0 => bytes[at] = u8::try_from(stream.next(256)).unwrap_or(0),
                1 => drop(bytes.drain(at..(at + stream.next(20)).min(bytes.len()))),
                2 => {
                    let copied = bytes[at..(at + 10).min(bytes.len())].to_vec();
                    bytes.splice(at..at, copied);
                }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(b'G');
            }
        }
        bytes
    };
    for _ in 0..625 {
        server.send_and_leave(&[(); 16].map(|()| malformed()));
    }
    assert_eq!(client.get("/session").status, 200, "the server lives");
}

#[test]
fn bodies_that_are_not_expected_are_refused_in_our_own_words() {
    let server = Running::start();
    let client = server.join();
    client.done(&client.post("/open", &json!({ "path": "people.csv" })));
    let bodies = [
        json!(null),
        json!([]),
        json!({}),
        json!({ "path": 5 }),
        json!({ "path": "x", "reading": { "delimiter": "ab" } }),
        json!("canary"),
    ];
    let paths = [
        "/open",
        "/reveal",
        "/candidates",
        "/compare",
        "/attack",
        "/query",
        "/release",
        "/verify",
        "/report",
        "/hierarchies/age/preview",
        "/hierarchies/age/edit",
        "/hierarchies/nobody/edit",
        "/candidates/999/use",
    ];
    for path in paths {
        for body in &bodies {
            let response = client.post(path, body);
            if path == "/candidates" && *body == json!({}) {
                continue;
            }
            assert!((400..500).contains(&response.status), "{path} {body}: {response:?}");
            assert!(!response.body.contains("canary"), "{response:?}");
        }
    }
    let etag = client.send("PUT", "/plan", &json!({ "text": "x = 1" }));
    assert_eq!(etag.status, 412);
    assert_eq!(client.edit("PUT", "/plan", &json!({ "text": "x = 1" })).status, 422);
    assert_eq!(client.edit("PUT", "/plan", &json!({})).status, 422);
    assert_eq!(client.get("/jobs/abc").status, 400);
    assert_eq!(client.get("/jobs/99999").status, 404);
    assert_eq!(client.get("/hierarchies/age/nodes/zzz").status, 404);
    assert_eq!(client.get("/explain/IC999").status, 404);
    assert_eq!(client.send("DELETE", "/session", &json!({})).status, 405);
}
