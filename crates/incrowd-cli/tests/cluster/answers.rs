//! Questions asked of a cluster, and what is refused on one.

use serde_json::Value;

use super::support::{QI, Up, desk, run, said};

fn answer(folder: &std::path::Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json", "-q"]].concat());
    let mut answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}\n{}", said(&output)));
    let object = answer.as_object_mut().unwrap();
    ["seconds", "next"].iter().for_each(|word| drop(object.remove(*word)));
    answer
}

#[test]
fn check_and_diagnose_answer_as_without_a_cluster_and_what_cannot_be_done_is_refused() {
    let folder = desk(3000);
    let up = Up::start(folder.path(), "work");
    let diagnose = ["diagnose", "census", "--qi", QI, "--sensitive", "workclass", "--sets", "--curve"];
    for words in [&["check", "census"][..], &diagnose] {
        let remote = answer(folder.path(), &[words, &["--cluster", &up.url]].concat());
        assert_eq!(answer(folder.path(), words), remote, "{words:?}");
    }
    let refused = [
        (vec!["diagnose", "census", "--qi", "age,sex", "--subject", "postcode"], "IC422", "subject"),
        (
            "anonymize census -o two --qi age,sex --insensitive postcode --treat postcode=blank --k 5 --others remove"
                .split(' ')
                .collect(),
            "IC422",
            "treating columns",
        ),
    ];
    for (words, code, what) in refused {
        let output = run(folder.path(), &[words, vec!["-q", "--cluster", &up.url]].concat());
        let said = said(&output);
        assert!(output.status.code() == Some(2) && said.contains(code) && said.contains(what), "{said}");
        assert!(!folder.path().join("two").exists());
    }
    up.end();

    let nobody = run(folder.path(), &["check", "census", "--cluster", "df://127.0.0.1:1", "-q"]);
    let said = said(&nobody);
    assert!(nobody.status.code() == Some(2) && said.contains("no scheduler responds at df://127.0.0.1:1"), "{said}");
}
