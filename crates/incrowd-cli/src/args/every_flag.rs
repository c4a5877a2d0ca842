//! Every declared option has its flag, with its help, and the flag means what the option does.
#![cfg(test)]

use clap::{CommandFactory, Parser};
use incrowd::request::{NamedSettings, OptionEntry, OptionValue, Plan, options, partial_plan};

use super::{Cli, Command};

/// Arguments of `anonymize` that are no options of the request, and why.
const NO_OPTIONS: [(&str, &str); 8] = [
    ("plan", "the plan that options override"),
    ("output", "where the release goes"),
    ("format", "what is printed"),
    ("no-header", "the other side of --header"),
    ("quiet", "what is shown while it runs"),
    ("events", "what programs are told while it runs"),
    ("lineage", "what a catalogue is told afterwards"),
    ("help", "the help"),
];

/// A flag with its example, as it is typed.
fn typed(flag: &str, entry: &OptionEntry) -> Vec<String> {
    let with = |value: &str| [format!("--{flag}"), value.to_owned()];
    match entry.value {
        OptionValue::Switch | OptionValue::SwitchOff | OptionValue::OnOrOff => vec![format!("--{flag}")],
        value if value.is_repeatable() => entry.example.split(' ').flat_map(with).collect(),
        _ => with(entry.example).to_vec(),
    }
}

fn request(words: Vec<String>) -> Plan {
    let words = ["incrowd", "anonymize", "people.csv"].map(str::to_owned).into_iter().chain(words);
    let cli = Cli::try_parse_from(words).unwrap_or_else(|fault| panic!("{fault}"));
    let Command::Anonymize(args) = cli.command else { panic!("another command") };
    partial_plan(&args.named()).expect("settings")
}

#[test]
fn every_flag_means_what_its_option_means() {
    let mut compared = 0;
    for (entry, flag) in options().filter_map(|entry| Some((entry, entry.flag?))) {
        let needed = entry.requires.and_then(|other| options().find(|entry| entry.flag == Some(other)));
        let mut words = typed(flag, entry);
        words.extend(needed.into_iter().flat_map(|other| typed(other.flag.unwrap_or_default(), other)));
        let example = |entry: &OptionEntry| (entry.name.to_owned(), entry.example_value().expect("an example"));
        let named: NamedSettings = std::iter::once(entry).chain(needed).map(example).collect();
        assert_eq!(request(words), partial_plan(&named).expect("settings"), "--{flag}");
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
    assert_eq!(request(vec![]), Plan::default(), "what is not typed is not said");
}

#[test]
fn every_flag_is_declared_and_has_the_declared_help() {
    let definition = Cli::command();
    let anonymize = definition.find_subcommand("anonymize").expect("the command");
    for argument in anonymize.get_arguments() {
        let Some(flag) = argument.get_long().filter(|flag| NO_OPTIONS.iter().all(|(known, _)| known != flag)) else {
            continue;
        };
        let entry =
            options().find(|entry| entry.flag == Some(flag)).unwrap_or_else(|| panic!("--{flag} is not declared"));
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        assert_eq!(help, entry.flag_help(), "--{flag}");
        let takes = argument.get_value_names().map(|names| names[0].as_str()).unwrap_or_default();
        assert!(entry.value_name.is_empty() || takes == entry.value_name, "--{flag} {takes}");
    }
}
