//! What to do about an error, in one sentence. Settings are named as data: each front end writes them its own way.

use std::borrow::Cow;

use incrowd_core::{HierarchyError, ModelError};
use incrowd_engine::{Sentence, Setting};

use crate::Error;
use crate::spellings::Variants;

impl Error {
    /// What to do about it; empty if the message already says it.
    pub fn remedy(&self) -> Sentence {
        match self {
            Error::Engine(error) => error.remedy().sentence(),
            #[cfg(feature = "cluster")]
            Error::Cluster(error) => Sentence::plain(error.hint()),
            Error::Query(error) => Sentence::plain(error.remedy.clone()),
            Error::Hierarchy(error) => of_hierarchy(error, "use {} to allow lines of different lengths"),
            Error::HierarchyOf { error, .. } => of_hierarchy(
                error,
                "use {} to allow lines of different lengths in the hierarchies of quasi-identifiers",
            ),
            Error::Model(ModelError::NoPopulation { .. }) => of_population(self),
            Error::Model(_) | Error::UnknownWord { .. } | Error::Verify(_) => Sentence::default(),
            Error::Infeasible(reasons) | Error::NotFound(reasons) => {
                let remedies: Vec<&str> = reasons.iter().map(|reason| reason.remedy.as_str()).collect();
                Sentence::plain(remedies.join("; "))
            }
            Error::Senseless { .. } => Sentence::plain("give a value in that range, or leave it out"),
            Error::Repeated { .. } => Sentence::plain("give it once"),
            Error::Contradictory(_) => Sentence::plain("remove one of the two"),
            Error::Plan { .. } => Sentence::plain("`incrowd init --schema` prints the allowed keys"),
            Error::File { .. } => Sentence::plain("check the path and your permissions"),
            Error::NoRandomness => Sentence::plain("try again; without random numbers, rows cannot be shuffled safely"),
            Error::Weights(_) => Sentence::about(
                "use {}, `inverse` or `equal`",
                [Setting::with("diversity_weights", "COLUMN=NUMBER,COLUMN=NUMBER")],
            ),
            Error::TooLarge { .. } => Sentence::about(
                "check that this is the right file; for a hierarchy, raise {}",
                [Setting::named("memory")],
            ),
            Error::NeedsWhole { .. } => Sentence::about(
                "raise {} to that, use fewer columns, or use k, p, ℓ or α with mondrian or top-down in one table, \
                 which can be solved in shards; t, β and δ can if nothing has to be suppressed; with a subject column, only \
                 k can",
                [Setting::named("memory")],
            ),
            Error::NotInPopulation { .. }
            | Error::PopulationIsNoFile(_)
            | Error::CountIsNoNumber(_)
            | Error::UnusedPopulation
            | Error::NeedsLevels { .. } => of_population(self),
            Error::NoSubject { .. }
            | Error::UselessHierarchy(_)
            | Error::Undeclared(_)
            | Error::RowsMayNotBePeople { .. }
            | Error::IdentifyingColumns { .. }
            | Error::LinkedRows { .. }
            | Error::NotKept(_)
            | Error::Spellings(_)
            | Error::UselessFolding(_)
            | Error::TooManySpellings { .. }
            | Error::Unconfirmed { .. }
            | Error::NotSensitive(_)
            | Error::NothingBlurred
            | Error::UnknownNode(_)
            | Error::NamedTwice(_)
            | Error::TwoRoles(_)
            | Error::NoQuasiIdentifiers
            | Error::TooManySets { .. } => of_columns(self),
            _ => of_release(self),
        }
    }
}

/// About a hierarchy that is inconsistent.
fn of_hierarchy(error: &HierarchyError, ragged: &'static str) -> Sentence {
    match error {
        HierarchyError::Ragged { .. } => Sentence::about(ragged, [Setting::on("ragged")]),
        HierarchyError::ValueLikeLabel => {
            Sentence::about("if `*` means that the value is missing, use {}", [Setting::with("null", "*")])
        }
        _ => Sentence::default(),
    }
}

/// About a population that the policy is about.
fn of_population(error: &Error) -> Sentence {
    match error {
        Error::UnusedPopulation => Sentence::about(
            "promise something about it with {}, {} or {}, or leave it out",
            [Setting::with("k_map", "N"), Setting::with("delta_presence", "MIN,MAX"), Setting::named("risk")],
        ),
        Error::Model(ModelError::NoPopulation { model: "k-map" }) => Sentence::about(
            "use {}, or {} if only the share of the population in the table is known",
            [Setting::named("population"), Setting::named("sampling_fraction")],
        ),
        Error::Model(_) => Sentence::about("use {}", [Setting::named("population")]),
        Error::PopulationIsNoFile(_) => Sentence::plain("write it into one file"),
        Error::CountIsNoNumber(_) => {
            Sentence::about("name the column of counts with {}, or leave it out", [Setting::named("population_count")])
        }
        Error::NeedsLevels { .. } => Sentence::about("use {}", [Setting::with("algorithm", "incognito")]),
        _ => Sentence::plain("give a population that holds everyone in the table, with values written alike"),
    }
}

/// About the roles of columns and the rules for them.
fn of_columns(error: &Error) -> Sentence {
    let named = Setting::named;
    match error {
        Error::NoSubject { .. } => Sentence::about(
            "fill in the subject of these rows or remove them; without {}, each row counts as a person",
            [named("subject")],
        ),
        Error::UselessHierarchy(_) => Sentence::about("declare it with {}, or leave its hierarchy out", [named("qi")]),
        Error::Undeclared(_) => Sentence::about(
            "give each a role with {}, {}, {} or {}; `{}` removes the rest",
            [named("qi"), named("sensitive"), named("identifier"), named("insensitive"), others_removed()],
        ),
        Error::RowsMayNotBePeople { columns, .. } => {
            let column: Cow<'static, str> = columns.first().map_or("COLUMN".into(), |column| column.clone().into());
            Sentence::about(
                "name the column that identifies people with {}, or declare with {} that each row is a different \
                 person",
                [Setting::with("subject", column), Setting::on("rows_are_people")],
            )
        }
        Error::IdentifyingColumns { columns, .. } => Sentence::about(
            "leave them out with {}, generalize them with {}, or publish them unchanged anyway with {}",
            [others_removed(), named("qi"), Setting::with("keep_identifying", columns.join(","))],
        ),
        Error::LinkedRows { columns, .. } => Sentence::about(
            "leave the treatment out, which removes the column; make groups of people with the same rows with {} (for the \
             subject); or publish the pseudonyms anyway with {}",
            [Setting::with("known_rows", "all"), Setting::with("keep_identifying", columns.join(","))],
        ),
        Error::NotKept(_) => {
            Sentence::about("name only sensitive or insensitive columns with {}", [named("keep_identifying")])
        }
        Error::Spellings(Variants { column, .. }) => Sentence::about(
            "merge them with {}, or use {} if they are different values",
            [Setting::with("fold_spellings", column.clone()), Setting::with("keep_spellings", column.clone())],
        ),
        Error::UselessFolding(_) => Sentence::plain("name only columns that are quasi-identifiers or sensitive"),
        Error::TooManySpellings { .. } => Sentence::plain("leave it out, or clean its values first"),
        Error::Unconfirmed { .. } => Sentence::plain(
            "read the entries and correct them, then set `confirmed = true` in each, or confirm all with `incrowd confirm PLAN`",
        ),
        Error::NotSensitive(column) => {
            Sentence::about("declare it with {}", [Setting::with("sensitive", column.clone())])
        }
        Error::NothingBlurred => Sentence::about(
            "protect the column with {}, {} or {}; two tables protect nothing else",
            [Setting::with("alpha", "COLUMN=SHARE"), Setting::with("l", "N"), Setting::with("p", "N")],
        ),
        Error::UnknownNode(_) => Sentence::plain("check the spelling; `incrowd hierarchy show FILE` shows all labels"),
        Error::NamedTwice(_) => Sentence::plain("name each column once"),
        Error::TwoRoles(_) => Sentence::plain("name each column once, with the role that protects it most"),
        Error::NoQuasiIdentifiers => Sentence::about(
            "name the columns that outsiders may know with {}; `incrowd check FILE` suggests them",
            [Setting::with("qi", "a,b,c")],
        ),
        _ => Sentence::about("use {} instead, or name fewer columns", [Setting::on("sets")]),
    }
}

/// About a release, its record, and the place where they are written.
fn of_release(error: &Error) -> Sentence {
    let (force, elsewhere) = (|| Setting::on("force"), || Setting::with("output", "DIR"));
    match error {
        Error::Unverified(_) => {
            Sentence::plain("nothing was published; please report this with the plan, without any data")
        }
        Error::Leak { .. } => Sentence::plain(
            "nothing was published; check free-text columns first: a published column may contain a removed value, \
             or the writer may have a bug",
        ),
        Error::ReleaseExists(_) => {
            Sentence::about("use {} to replace it, or {} to write elsewhere", [force(), elsewhere()])
        }
        Error::FileExists(_) => Sentence::about("use {} to replace it, or name another output file", [force()]),
        Error::Taken(_) => Sentence::about("name a folder that does not exist yet with {}", [elsewhere()]),
        Error::Link(_) => Sentence::about(
            "name the file or folder that it points to, or another one, with {}",
            [Setting::named("output")],
        ),
        Error::RecordExists(_) => Sentence::about(
            "move it to its release, or use {} to write elsewhere; {} replaces it",
            [elsewhere(), force()],
        ),
        Error::ForeignFiles { .. } => Sentence::about(
            "move what you want to keep and delete the folder, or use {} to write elsewhere",
            [elsewhere()],
        ),
        Error::OverSource(_) => {
            Sentence::about("use {} to write elsewhere; otherwise the source table would be deleted", [elsewhere()])
        }
        Error::NotPutBack(_) => {
            Sentence::plain("check the folder and its permissions; the next run to the same name restores it first")
        }
        Error::OutcomeUnknown { .. } => Sentence::about(
            "when the connection works again, `incrowd verify` shows whether a release is there; {} replaces it",
            [force()],
        ),
        Error::LedgerReplaced(_) => Sentence::plain("nothing was published; run again with the current ledger"),
        Error::NotARelease(_) => Sentence::plain("name the folder that `incrowd anonymize … -o DIR` made"),
        Error::DamagedRecord(_) | Error::NoRecord(_) => Sentence::plain(
            "the record NAME.internal is written next to the release NAME; without it, give hierarchies and formats \
             explicitly",
        ),
        Error::ReleaseChanged { .. } => Sentence::plain(
            "`incrowd verify DIR` lists every difference; download the release again from its publisher",
        ),
        Error::RecordChanged { .. } => Sentence::plain(
            "restore the folder from a backup, or move it elsewhere to read the release without its record",
        ),
        Error::RecordOfAnother(_) => Sentence::about(
            "name the record of this release with {}, or move the other record elsewhere",
            [Setting::with("record", "DIR")],
        ),
        Error::NothingToExplain { .. } => Sentence::plain("values are compared exactly as published"),
        Error::TreatmentRefused { why, .. } => why.remedy(),
        Error::KnownRowsRefused(why) => why.remedy(),
        Error::TablesRefused(why) => why.remedy(),
        Error::SeveralTables { release, tables } => {
            let table = tables.first().map(|table| release.join(table)).unwrap_or_default();
            Sentence::plain(format!("name the folder of one of them, such as {}", table.display()))
        }
        Error::NotRepeatable { why, .. } => Sentence::plain(why.remedy()),
        Error::RepeatDiffers { .. } => Sentence::plain(
            "nothing was published; use the same table, plan and version of incrowd, or make a new release without the record",
        ),
        _ => Sentence::default(),
    }
}

/// The columns without a role are left out.
fn others_removed() -> Setting {
    Setting::with("others", "remove")
}
