//! The two questions that only the scheduler's REST interface answers: which executors there are, and how far a job is.
//!
//! One `GET` over a plain connection, which the server closes. Where TLS stands before the scheduler nobody is asked,
//! and progress is shown without tasks.

use std::time::Duration;

use incrowd_engine::Tasks;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::address::Address;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(3);

/// Longer answers are not read: a job has some stages, each with some tasks.
const LONGEST: u64 = 64 << 20;

async fn get(address: &Address, path: &str) -> Option<Value> {
    let asked = async {
        let mut stream = TcpStream::connect((address.host.as_str(), address.port)).await.ok()?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\nConnection: close\r\n\r\n", address.host);
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.take(LONGEST).read_to_end(&mut answer).await.ok()?;
        body(&answer)
    };
    tokio::time::timeout(ANSWER, asked).await.ok()?
}

/// The JSON of a good answer.
fn body(answer: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let good = head.lines().next()?.split(' ').nth(1)? == "200";
    // HTTP/1.0 has no chunks.
    serde_json::from_str(body.trim()).ok().filter(|_| good)
}

/// How many executors are there.
pub(crate) async fn executors(address: &Address) -> Option<usize> {
    Some(get(address, "/api/executors").await?.as_array()?.len())
}

/// How far a job is.
pub(crate) async fn tasks(address: &Address, job: &str) -> Option<Tasks> {
    if !job.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
        return None;
    }
    counted(&get(address, &format!("/api/job/{job}/stages")).await?)
}

/// What the stages of a job say together.
fn counted(answer: &Value) -> Option<Tasks> {
    let stages = answer["stages"].as_array()?;
    let mut tasks = Tasks { stages: stages.len() as u64, ..Tasks::default() };
    for stage in stages {
        tasks.stages_done += u64::from(stage["stage_status"] == "Successful");
        for task in stage["tasks"].as_array().into_iter().flatten().filter(|task| !task.is_null()) {
            tasks.total += 1;
            tasks.done += u64::from(task["status"] == "Successful");
        }
    }
    Some(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_all_stages_are_counted() {
        let answer = r#"{"stages":[
            {"stage_status":"Successful","tasks":[{"status":"Successful"},{"status":"Successful"}]},
            {"stage_status":"Running","tasks":[{"status":"Successful"},{"status":"Running"},null]},
            {"stage_status":"Unresolved","tasks":[]}]}"#;
        let head = "HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n";
        let answer = body(format!("{head}{answer}").as_bytes()).expect("a good answer");
        assert_eq!(counted(&answer), Some(Tasks { stages_done: 1, stages: 3, done: 3, total: 4 }));
    }

    #[test]
    fn an_answer_that_is_not_good_is_none() {
        assert_eq!(body(b"HTTP/1.0 404 Not Found\r\n\r\n{}"), None);
        assert_eq!(body(b"nonsense"), None);
    }
}
