//! Every option that names a path: whether it writes, and that what writes is tried among the files of others.

use incrowd_cli::definition;

use super::foreign::{WRITERS, Writer};

/// Options that name a path, and what becomes of it: written by a line of [`WRITERS`], only read, or as it says.
const PATHS: &[(&str, &str)] = &[
    ("open what", "read"),
    ("open folder", "the workbench writes below it what its page asks for; tested with the workbench"),
    ("open temp", "as of anonymize"),
    ("check file", "read"),
    ("check plan", "read"),
    ("check connection", "read"),
    ("check temp", "as of anonymize"),
    ("check report", "report::write, as of report"),
    ("diagnose file", "read"),
    ("diagnose plan", "read"),
    ("diagnose connection", "read"),
    ("diagnose temp", "as of anonymize"),
    ("diagnose hierarchy", "read"),
    ("diagnose population", "read"),
    ("init file", "read"),
    ("init output", "written"),
    ("init connection", "read"),
    ("init temp", "as of anonymize"),
    ("confirm plan", "written"),
    ("anonymize file", "read"),
    ("anonymize output", "written"),
    ("anonymize plan", "read"),
    ("anonymize hierarchy", "read"),
    ("anonymize population", "read"),
    ("anonymize repeat", "read"),
    ("anonymize ledger", "written"),
    ("anonymize record", "for databases and stores; the folder is staged as that of a release"),
    ("anonymize connection", "read"),
    ("anonymize temp", "written"),
    ("anonymize events", "written"),
    ("anonymize lineage", "written"),
    ("verify release", "read"),
    ("verify against", "read"),
    ("verify population", "read"),
    ("verify hierarchy", "read"),
    ("verify connection", "read"),
    ("verify record", "read"),
    ("verify events", "as of anonymize"),
    ("query release", "read"),
    ("query against", "read"),
    ("query record", "read"),
    ("query hierarchy", "read"),
    ("query connection", "read"),
    ("query temp", "as of anonymize"),
    ("compare original", "read"),
    ("compare releases", "read"),
    ("compare hierarchy", "read"),
    ("compare connection", "read"),
    ("compare temp", "as of anonymize"),
    ("attack release", "read"),
    ("attack against", "read"),
    ("attack register", "read"),
    ("attack also", "read"),
    ("attack record", "read"),
    ("attack plan", "read"),
    ("attack hierarchy", "read"),
    ("attack connection", "read"),
    ("attack temp", "as of anonymize"),
    ("report release", "read"),
    ("report against", "read"),
    ("report output", "report::write has tests of its own"),
    ("report plan", "read"),
    ("report connection", "read"),
    ("report temp", "as of anonymize"),
    ("hierarchy build file", "read"),
    ("hierarchy build output", "written"),
    ("hierarchy build connection", "read"),
    ("hierarchy build temp", "as of anonymize"),
    ("hierarchy check hierarchy", "read"),
    ("hierarchy check table", "read"),
    ("hierarchy check connection", "read"),
    ("hierarchy check temp", "as of anonymize"),
    ("hierarchy show hierarchy", "read"),
    ("explain what", "read"),
    ("explain record", "read"),
    ("sample output", "written"),
    ("sample hierarchies", "written"),
    ("cluster up work_dir", "a mark says whose it is; tested with the cluster"),
    ("cluster executor work_dir", "a mark says whose it is; tested with the cluster"),
];

/// What an option takes that is no path, by the name of its value.
const NO_PATHS: &[&str] = &[
    "N",
    "SHARE",
    "COLUMN",
    "COLUMNS",
    "CHAR",
    "ENCODING",
    "SHEET",
    "RANGE",
    "TEXT",
    "COLUMN=FORMAT",
    "COLUMN=TREATMENT",
    "FORMAT",
    "SIZE",
    "URL",
    "PORT",
    "HOST",
    "WORD",
    "EFFORT",
    "RATIO",
    "TIME",
    "TUPLES",
    "WEIGHTS",
    "WHAT",
    "TABLES",
    "DIALECT",
    "X",
    "COLUMN[:VALUES]=SHARE",
    "COLUMN=P",
    "COLUMN=L",
    "COLUMN=T",
    "MODEL:COLUMN,NAME=VALUE",
    "COLUMN=NODE|NODE",
    "ATTACK[.FIGURE]=MAX",
    "MIN,MAX",
    "ATTACKER",
    "WIDTHS",
    "VALUE",
    "SQL",
    "KIND",
    "ESTIMATOR",
    "SHELL",
    "COMMAND",
];

fn each_command<'c>(command: &'c clap::Command, path: &str, visit: &mut impl FnMut(&str, &'c clap::Command)) {
    for inner in command.get_subcommands() {
        let path = format!("{path} {}", inner.get_name());
        visit(path.trim(), inner);
        each_command(inner, &path, visit);
    }
}

#[test]
fn every_option_that_names_a_path_says_whether_it_writes() {
    let definition = definition();
    let mut known: Vec<&str> = PATHS.iter().map(|(option, _)| *option).collect();
    let mut unknown = Vec::new();
    each_command(&definition, "", &mut |path, command| {
        for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            let option = format!("{path} {}", argument.get_id());
            let names = argument.get_value_names().unwrap_or_default();
            let no_path = names.iter().any(|name| NO_PATHS.contains(&name.to_uppercase().as_str()));
            match known.iter().position(|entry| *entry == option) {
                Some(at) => drop(known.remove(at)),
                None if no_path => {}
                None => unknown.push(format!("{option} {names:?}")),
            }
        }
    });
    assert!(unknown.is_empty(), "say in PATHS what is done with: {unknown:#?}");
    assert!(known.is_empty(), "no such option any more: {known:?}");
    for (option, said) in PATHS.iter().filter(|(_, said)| *said == "written") {
        let (command, id) = option.rsplit_once(' ').unwrap();
        let is_it =
            |writer: &&Writer| writer.words.join(" ").starts_with(command) && writer.option.trim_matches('-') == id;
        let is_confirm = *option == "confirm plan";
        assert!(is_confirm || WRITERS.iter().any(|writer| is_it(&writer)), "{option} is {said} and not in WRITERS");
    }
}
