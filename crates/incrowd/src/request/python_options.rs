//! The keyword arguments of Python, and the sections of its plan, are those of the declared options.
//!
//! `INCROWD_BLESS=1` writes `python/incrowd/_options.py` instead of comparing it.
#![cfg(test)]

use std::path::Path;

use super::{BUILDERS, OptionEntry, OptionPlace, OptionValue, options};

const HEAD: &str = r#""""The options of a call, and the sections of a plan that hold them.

Made from the options that the library declares; its tests write this file with INCROWD_BLESS=1. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from ._compat import dataclass

if TYPE_CHECKING:
    from ._given import HierarchyWord, Names, Progress
    from .plan import AlphaPlan, Number, RulePlan

__all__ = ["BUILDS", "AnonymizeOptions", "Build", "PopulationPlan", "Reading", "ReleasePlan", "SolvePlan"]

#: The builders of hierarchies.
Build = Literal[{builders}]
BUILDS: tuple[Build, ...] = ({builders})


class Reading(TypedDict, total=False):
    """Options that every function takes: how the table is read, and the resources of the run.

    ``delimiter``, ``null``, ``date_format`` and ``input_format`` are those of the command line; ``header`` says whether
    the first line of a CSV file contains the column names; ``memory`` is a number of bytes or a text such as
    ``"4GiB"``; ``progress`` is True, False, or a function that is called with the progress of the work.
    """

"#;

const OF_A_RELEASE: &str = r#"    #: Whether progress is shown, or a function that is called with the progress.
    progress: bool | Progress | None


class AnonymizeOptions(Reading, total=False):
    """What a release has to promise, and the settings of the solver and of the output."""

"#;

/// The sections of a plan whose keys are all options: the class, what it is, and fields that are none.
const SECTIONS: [(&str, &str, &str, &str); 3] = [
    ("population", "PopulationPlan", "A given population, and what a release has to promise about it.", ""),
    ("solve", "SolvePlan", "Settings of the solver. Every key has a default.", ""),
    ("release", "ReleasePlan", "Settings of the output.", "    path: str | None = None\n"),
];

/// A comment of lines of at most 120 characters.
fn comment(text: &str) -> String {
    let mut lines = vec![String::from("    #:")];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].chars().count() + word.chars().count() + 1 > 120 {
            lines.push(format!("    #: {word}"));
        } else {
            lines[last] += &format!(" {word}");
        }
    }
    lines.join("\n") + "\n"
}

fn keyword_arguments(is_wanted: impl Fn(&OptionEntry) -> bool) -> String {
    let given = options().filter(|entry| entry.python && is_wanted(entry));
    given.map(|entry| comment(entry.help) + &format!("    {}: {}\n", entry.name, entry.value.python_type())).collect()
}

/// The fields of a section of the plan.
fn fields(section: &str) -> String {
    let field = |entry: &OptionEntry| {
        let OptionPlace::Plan(key) = entry.place else { return None };
        let name = key.strip_prefix(section)?.strip_prefix('.')?;
        let kind = match entry.value {
            OptionValue::Switch => "bool = False".to_owned(),
            OptionValue::Path => "str | None = None".to_owned(),
            value => format!("{} = None", value.python_type()),
        };
        Some(format!("    {name}: {kind}\n"))
    };
    options().filter_map(field).collect()
}

fn generated() -> String {
    let is_reading = |entry: &OptionEntry| ["Reading", "Running"].contains(&entry.heading);
    let builders: Vec<String> = BUILDERS.iter().map(|entry| format!("\"{}\"", entry.word)).collect();
    let mut text = HEAD.replace("{builders}", &builders.join(", ")) + &keyword_arguments(is_reading);
    text += OF_A_RELEASE;
    text += &keyword_arguments(|entry| !is_reading(entry));
    for (section, class, about, more) in SECTIONS {
        let fields = fields(section);
        text += &format!("\n\n@dataclass(kw_only=True)\nclass {class}:\n    \"\"\"{about}\"\"\"\n\n{more}{fields}");
    }
    text
}

#[test]
fn python_takes_the_options_that_are_declared() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/incrowd/_options.py");
    if std::env::var_os("INCROWD_BLESS").is_some() {
        std::fs::write(&path, generated()).expect("written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(there, generated(), "INCROWD_BLESS=1 writes {}", path.display());
}
