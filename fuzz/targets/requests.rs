//! HTTP requests to a workbench that has a table open. No answer may have a cell that was not revealed.
//!
//! `{host}`, `{origin}` and `{cookie}` in the bytes become those of the session, as a browser that belongs to it sends them.

use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use incrowd::core::Cancel;
use incrowd_workbench::{ServeOptions, Server};
use tempfile::TempDir;

use super::scratch::{CELL, folder};

/// A workbench answers this many requests before another one takes its place.
const USES: u32 = 256;

struct Workbench {
    address: SocketAddr,
    cookie: String,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    uses: u32,
    _folder: TempDir,
}

impl Workbench {
    fn start() -> Workbench {
        let folder = folder();
        let rows: String = (0..8).map(|row| format!("{},f,{CELL}{row},Ulm\n", 30 + row)).collect();
        std::fs::write(folder.path().join("people.csv"), format!("age,sex,name,town\n{rows}")).unwrap();
        let options = ServeOptions {
            folder: folder.path().into(),
            opened: Some("people.csv".into()),
            settings: incrowd::Settings { threads: Some(1), memory: Some(512 << 20), temp: None },
            port: None,
            idle: Duration::from_secs(600),
        };
        let server = Server::bind(&options).unwrap();
        let (address, url, cancel) = (server.addresses()[0], server.url(), Cancel::default());
        let ended = cancel.clone();
        let thread = std::thread::spawn(move || server.run(&ended));
        let token = url.split("token=").nth(1).unwrap_or_default();
        let join = format!("GET /?token={token} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        // The token is good for one answer: it is waited for while the server starts on a busy machine.
        let joined = ask(address, join.as_bytes(), Duration::from_secs(60));
        let cookie = joined.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap_or_default();
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        assert!(!cookie.is_empty(), "the workbench gave no cookie, and every request would be refused: {joined}");
        Workbench { address, cookie, cancel, thread: Some(thread), uses: 0, _folder: folder }
    }
}

impl Drop for Workbench {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Sends bytes, and gives what is answered before nothing comes for so long.
fn ask(address: SocketAddr, request: &[u8], patience: Duration) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    stream.set_read_timeout(Some(patience)).unwrap();
    let _ = stream.write_all(request);
    // A request that announces more is over. The server answers nobody who closes before the answer.
    if !is_whole(request) {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let (mut bytes, mut some) = (Vec::new(), [0; 8192]);
    while !is_whole(&bytes) {
        match stream.read(&mut some) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&some[..count]),
            // libFuzzer's alarm.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a message has the body that its header announces.
fn is_whole(message: &[u8]) -> bool {
    let Some(end) = message.windows(4).position(|part| part == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&message[..end]).to_lowercase();
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if value("transfer-encoding:").is_some() {
        return message.ends_with(b"\r\n0\r\n\r\n");
    }
    let announced = value("content-length:").and_then(|length| length.parse().ok()).unwrap_or(0);
    message.len() - end - 4 >= announced
}

/// A workbench that has answered few requests yet.
fn fresh(kept: &mut Option<Workbench>) -> &mut Workbench {
    if kept.as_ref().is_none_or(|workbench| workbench.uses >= USES) {
        drop(kept.take());
    }
    let workbench = kept.get_or_insert_with(Workbench::start);
    workbench.uses += 1;
    workbench
}

pub(super) fn requests(data: &[u8]) -> bool {
    thread_local! {
        static SILENT: RefCell<Option<Workbench>> = const { RefCell::new(None) };
        /// What a user asks to see is shown from then on, and what is sent may be named: such requests have a workbench of their
        /// own, so that the other one need not be started again after each of them.
        static REVEALING: RefCell<Option<Workbench>> = const { RefCell::new(None) };
    }
    let has = |word: &str| data.windows(word.len()).any(|part| part == word.as_bytes());
    let reveals = ["reveal", "values", CELL].iter().any(|word| has(word));
    (if reveals { &REVEALING } else { &SILENT }).with_borrow_mut(|kept| {
        let workbench = fresh(kept);
        let host = workbench.address.to_string();
        let filled = [("{host}", &host), ("{origin}", &format!("http://{host}")), ("{cookie}", &workbench.cookie)]
            .iter()
            .fold(data.to_vec(), |bytes, (from, to)| replaced(&bytes, from.as_bytes(), to.as_bytes()));
        let answer = ask(workbench.address, &filled, Duration::from_millis(500));
        assert!(reveals || !answer.contains(CELL), "an answer has a cell that was not revealed: {answer}");
        // One who ends the server gets no more answers.
        if has("quit") {
            workbench.uses = USES;
        }
        answer.starts_with("HTTP/1.1 200 ")
    })
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let (mut done, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        done.extend_from_slice(&rest[..at]);
        done.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    done.extend_from_slice(rest);
    done
}
