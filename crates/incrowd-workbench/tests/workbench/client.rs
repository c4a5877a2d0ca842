//! A server in a folder of its own, and a client that writes its requests byte by byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use incrowd::core::Cancel;
use incrowd_workbench::{ServeOptions, Server};
use serde_json::Value;

/// A small table of made-up people.
pub(super) const TABLE: &str = "name,age,sex,town,illness\nAda,34,f,Ulm,flu\nBea,35,f,Ulm,cold\nCid,34,m,Ulm,flu\nDan,36,m,Ulm,gout\n\
                                Eva,52,f,Graz,flu\nFay,53,f,Graz,cold\nGus,55,m,Graz,gout\nHal,51,m,Graz,cold\n";

/// A running server that ends when it is dropped.
pub(super) struct Running {
    pub(super) folder: tempfile::TempDir,
    pub(super) address: SocketAddr,
    pub(super) url: String,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Response {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(super) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A client with a cookie.
pub(super) struct Client<'a> {
    server: &'a Running,
    cookie: String,
    /// Everything that was answered.
    pub(super) heard: std::cell::RefCell<String>,
}

impl Running {
    pub(super) fn start() -> Running {
        Running::with(|folder| std::fs::write(folder.join("people.csv"), TABLE).unwrap())
    }

    pub(super) fn with(fill: impl FnOnce(&Path)) -> Running {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        let options = ServeOptions {
            folder: folder.path().into(),
            opened: None,
            settings: incrowd::Settings { threads: Some(1), ..Default::default() },
            port: None,
            idle: Duration::from_secs(600),
        };
        let server = Server::bind(&options).unwrap();
        let (address, url, cancel) = (server.addresses()[0], server.url(), Cancel::default());
        let ended = cancel.clone();
        let thread = std::thread::spawn(move || server.run(&ended));
        Running { folder, address, url, cancel, thread: Some(thread) }
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn token(&self) -> &str {
        self.url.split("token=").nth(1).unwrap()
    }

    /// Sends bytes and reads until the connection is closed.
    pub(super) fn send(&self, request: &[u8]) -> Option<Response> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may close before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split_whitespace().nth(1)?.parse().ok()?;
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { dechunked(body) } else { body.to_owned() };
        Some(Response { status, head: head.to_owned(), body })
    }

    /// Sends each on a connection of its own, reads what comes at once, and goes away.
    pub(super) fn send_and_leave(&self, requests: &[Vec<u8>]) {
        let sent = requests.iter().map(|request| {
            let mut stream = TcpStream::connect(self.address).unwrap();
            let _ = stream.write_all(request);
            stream.set_nonblocking(true).unwrap();
            stream
        });
        let sent: Vec<TcpStream> = sent.collect();
        std::thread::sleep(Duration::from_millis(1));
        for mut stream in sent {
            let _ = stream.read(&mut [0; 64]);
        }
    }

    /// Sends a request with these header lines.
    pub(super) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send(text.as_bytes()).unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    /// Joins the session with the token.
    pub(super) fn join(&self) -> Client<'_> {
        let response = self.request("GET", &format!("/?token={}", self.token()), &[("Host", &self.host())], "");
        assert_eq!((response.status, response.header("location")), (303, Some("/")), "{response:?}");
        let cookie = response.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Client { server: self, cookie, heard: std::cell::RefCell::default() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn dechunked(body: &str) -> String {
    let (mut text, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || after.len() < size {
            break;
        }
        text += &after[..size];
        rest = after[size..].trim_start_matches("\r\n");
    }
    text
}

impl Client<'_> {
    pub(super) fn cookie(&self) -> &str {
        &self.cookie
    }

    fn asked(&self, method: &str, path: &str, etag: Option<&str>, body: &str) -> Response {
        let (host, origin) = (self.server.host(), format!("http://{}", self.server.host()));
        let mut headers = vec![("Host", host.as_str()), ("Cookie", &self.cookie), ("Sec-Fetch-Site", "same-origin")];
        if method != "GET" {
            headers.extend([("Origin", origin.as_str()), ("Content-Type", "application/json")]);
        }
        headers.extend(etag.map(|etag| ("If-Match", etag)));
        let response = self.server.request(method, path, &headers, body);
        let mut heard = self.heard.borrow_mut();
        *heard += &response.head;
        *heard += &response.body;
        response
    }

    pub(super) fn get(&self, path: &str) -> Response {
        self.asked("GET", &format!("/api{path}"), None, "")
    }

    pub(super) fn page(&self, path: &str) -> Response {
        self.asked("GET", path, None, "")
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Response {
        self.asked("POST", &format!("/api{path}"), None, &body.to_string())
    }

    pub(super) fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        self.asked(method, &format!("/api{path}"), None, &body.to_string())
    }

    /// Changes the plan as it is now.
    pub(super) fn edit(&self, method: &str, path: &str, body: &Value) -> Response {
        let etag = self.get("/plan").json()["etag"].as_str().unwrap_or_default().to_owned();
        self.asked(method, &format!("/api{path}"), Some(&etag), &body.to_string())
    }

    /// Waits for the end of the job that an answer started, and gives it.
    pub(super) fn job(&self, started: &Response) -> Value {
        assert_eq!(started.status, 202, "{started:?}");
        let id = started.json()["job"].as_u64().unwrap();
        let events = self.get(&format!("/jobs/{id}/events"));
        let last = events.body.rsplit("data: ").next().unwrap().trim();
        let job: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("no job: {events:?}"));
        assert_ne!(job["state"], "running", "{job}");
        job
    }

    /// The result of a job that has to succeed.
    pub(super) fn done(&self, started: &Response) -> Value {
        let job = self.job(started);
        assert_eq!(job["state"], "done", "{job}");
        job["result"].clone()
    }
}
