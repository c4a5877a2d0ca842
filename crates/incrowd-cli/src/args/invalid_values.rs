//! Every option of every command refuses values that make no sense, and says which option it is about.
#![cfg(test)]

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory, Parser};
use incrowd::request::{OptionValue, options as declared};

use super::Cli;

/// Values that no number can have.
const SENSELESS: [&str; 7] = ["nan", "inf", "-inf", "-1", "0", "1e400", ""];

/// Valid values of options that are not declared by the library.
const SENSIBLE: [(&str, &str); 3] = [
    // No row may be suppressed.
    ("delta", "0"),
    // A digit between two cells.
    ("delimiter", "0"),
    ("port", "0"),
];

/// Whether a value makes sense: no share, no time and the seed 0 do.
fn is_sensible(name: &str, value: &str) -> bool {
    let may_be_zero = |kind| matches!(kind, OptionValue::Share | OptionValue::Duration | OptionValue::Seed);
    let is_declared = || declared().any(|entry| entry.flag == Some(name) && may_be_zero(entry.value));
    SENSIBLE.contains(&(name, value)) || (value == "0" && is_declared())
}

/// The limits of these are checked where they are used.
const ELSEWHERE: [&str; 2] = ["memory", "threads"];

/// Options that may be repeated, for other columns or with other values, besides those that the library declares so.
const REPEATABLE: [&str; 5] = ["columns", "hierarchy", "limit", "protected", "widths"];

/// The commands with the words that lead to them.
fn commands(of: &clap::Command, path: &[String]) -> Vec<(Vec<String>, clap::Command)> {
    let path = [path, &[of.get_name().to_owned()]].concat();
    let below = of.get_subcommands().flat_map(|command| commands(command, &path)).collect::<Vec<_>>();
    [vec![(path, of.clone())], below].concat()
}

/// The options that take a value which is more than a text.
fn options() -> Vec<(Vec<String>, clap::Arg)> {
    let texts = [ValueParser::string(), ValueParser::path_buf(), ValueParser::os_string()].map(|text| text.type_id());
    let mut found = Vec::new();
    for (path, command) in commands(&Cli::command(), &[]) {
        for option in command.get_arguments().filter(|option| option.get_long().is_some()) {
            let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
            if takes_value && !texts.contains(&option.get_value_parser().type_id()) {
                found.push((path.clone(), option.clone()));
            }
        }
    }
    found
}

fn read(path: &[String], words: &[String]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(path.iter().chain(words))
}

#[test]
fn every_option_refuses_values_that_make_no_sense_and_is_named() {
    let options = options();
    assert!(options.len() > 30, "{}", options.len());
    for (path, option) in options {
        let name = option.get_long().unwrap_or_default();
        for value in SENSELESS {
            if ELSEWHERE.contains(&name) || is_sensible(name, value) {
                continue;
            }
            let refusal = read(&path, &[format!("--{name}={value}")]).err();
            let about = |refusal: &clap::Error| {
                matches!(refusal.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue)
                    && refusal.to_string().contains(&format!("--{name}"))
            };
            assert!(refusal.as_ref().is_some_and(about), "{path:?} --{name}={value}: {refusal:?}");
        }
    }
}

#[test]
fn every_bound_that_is_given_with_its_column_refuses_numbers_that_make_no_sense() {
    let bounds = [
        ("attack", "--limit=prosecutor=", &["0"][..]),
        ("anonymize", "--alpha=illness=", &[]),
        ("anonymize", "--alpha=illness:flu=", &[]),
        ("anonymize", "--p-sensitive=illness=", &[]),
        ("anonymize", "--l-diversity=illness=", &[]),
        ("anonymize", "--t-closeness=illness=", &[]),
        ("anonymize", "--model=t-closeness:illness,t=", &[]),
        ("anonymize", "--model=entropy-l-diversity:illness,l=", &[]),
        ("anonymize", "--model=recursive-c-l-diversity:illness,l=2,c=", &[]),
        ("anonymize", "--model=beta-likeness:illness,beta=", &[]),
        ("anonymize", "--model=delta-disclosure:illness,delta=", &[]),
        ("anonymize", "--diversity-weights=illness=", &[]),
    ];
    for (command, bound, sensible) in bounds {
        for value in SENSELESS.iter().filter(|value| !sensible.contains(value)) {
            let refusal = read(&["incrowd".into(), command.into()], &[format!("{bound}{value}")]).err();
            let is_refused = refusal.as_ref().is_some_and(|refusal| refusal.kind() == ErrorKind::ValueValidation);
            assert!(is_refused, "{bound}{value}: {refusal:?}");
        }
    }
}

#[test]
fn an_option_is_repeated_only_where_that_adds_something() {
    for (path, command) in commands(&Cli::command(), &[]) {
        for option in command.get_arguments().filter(|option| matches!(option.get_action(), ArgAction::Append)) {
            let Some(name) = option.get_long() else { continue };
            let is_declared = declared().any(|entry| entry.flag == Some(name) && entry.value.is_repeatable());
            assert!(is_declared || REPEATABLE.contains(&name), "{path:?} --{name}: what does the second one mean?");
        }
    }
    let refusal = read(&["incrowd".into(), "check".into()], &["--k=2".into(), "--k=3".into()]).err();
    assert!(refusal.is_some_and(|refusal| refusal.kind() == ErrorKind::ArgumentConflict));
    let refusal =
        read(&["incrowd".into(), "anonymize".into()], &["--model=t-closeness:illness,t=0.1,t=0.6".into()]).err();
    assert!(refusal.is_some_and(|refusal| refusal.to_string().contains("“t” is given twice")));
}

#[test]
fn what_is_named_once_for_each_column_is_refused_when_it_is_named_twice() {
    let lines = [
        ("check t.csv", "--date-format", "birth=%d.%m.%Y", "birth=%m/%d/%Y"),
        ("diagnose t.csv", "--hierarchy", "illness=a.csv", "illness=b.csv"),
        ("diagnose t.csv --hierarchy illness=a.csv", "--protected", "illness=x", "illness=y"),
        ("init t.csv", "--date-format", "birth=%d.%m.%Y", "birth=%m/%d/%Y"),
        ("anonymize t.csv", "--hierarchy", "age=intervals", "age=flat"),
        ("anonymize t.csv", "--date-format", "birth=%d.%m.%Y", "birth=%m/%d/%Y"),
        ("verify release --against t.csv", "--hierarchy", "age=a.csv", "age=b.csv"),
        ("verify release --against t.csv", "--date-format", "birth=%d", "birth=%m"),
        ("attack release", "--hierarchy", "age=a.csv", "age=b.csv"),
        ("query release Q", "--hierarchy", "age=a.csv", "age=b.csv"),
        ("compare t.csv release", "--hierarchy", "age=a.csv", "age=b.csv"),
        ("report release", "--date-format", "birth=%d", "birth=%m"),
        ("hierarchy build t.csv --column age", "--date-format", "birth=%d", "birth=%m"),
    ];
    for (command, option, first, second) in lines {
        let words = |values: &[&str]| {
            let named = values.iter().flat_map(|value| [option.to_owned(), (*value).to_owned()]);
            ["incrowd"].into_iter().chain(command.split(' ')).map(Into::into).chain(named).collect::<Vec<String>>()
        };
        let check = |values: &[&str]| Cli::try_parse_from(words(values)).expect("is read").command.check();
        let refusal = check(&[first, second]).expect_err("refused");
        assert!(refusal.code() == "IC627" && refusal.to_string().contains(option), "{command} {option}: {refusal}");
        assert!(check(&[first]).is_ok(), "{command} {option}");
    }
}
