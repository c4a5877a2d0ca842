//! `IC5xx`: what was asked.

use incrowd_core::Code;

use super::refusal;

#[rustfmt::skip]
pub(super) const REQUESTS: &[Code] = &[
    refusal("IC501", "bad-hierarchy", "A hierarchy is inconsistent, or does not match its column.", "\
A hierarchy file has one line per value: the value, then increasingly general labels, then `*`, separated by `;` or \
`,`. Every label has one parent, and all lines have the same number of labels unless you allow an unbalanced tree.

`incrowd hierarchy check FILE --table TABLE --column COLUMN` reports how many values are not covered, and \
lists them with --show-values."),
    refusal("IC502", "bad-plan", "The plan is not valid.", "\
A plan is a TOML file. Unknown keys are refused, so that a misspelled requirement is not silently ignored.

`incrowd init FILE` drafts a plan; `incrowd init --schema` prints the JSON Schema, which editors can use to check a \
plan as you type."),
    refusal("IC503", "bad-policy", "A policy cannot be used with this table.", "\
A model has the wrong parameters, names a column that does not exist, or needs sensitive columns that were not \
declared.

`incrowd list models` shows every model with an example."),
    refusal("IC504", "bad-roles", "The roles of columns are missing or contradict each other.", "\
A column can have only one role. Quasi-identifiers (--qi) contain what outsiders may know about a person; sensitive \
columns (--sensitive) contain what no one should learn about a person; identifiers (--identifier) identify people \
directly; the subject (--subject) shows which person each row belongs to.

`incrowd check FILE` suggests a role for every column."),
    refusal("IC505", "too-many-sets", "There are too many column sets to measure all of them.", "\
n columns have 2ⁿ − 1 non-empty sets. For more than twenty columns, that is more than a million.

Use --sets, which searches for the largest safe and the smallest dangerous sets without measuring every set; limit \
their size with --max-columns, or name fewer columns."),
    refusal("IC506", "undeclared-columns", "A column has no role.", "\
An overlooked column can make people re-identifiable. Roles are never guessed when a table is published.

Give every column a role: --qi for what outsiders may know, --sensitive for what no one should learn about a person, \
--identifier for what identifies people (it is removed), --insensitive for what may be published unchanged. `--others \
remove` removes all columns without a role. `incrowd init FILE` drafts a plan with a role for every column, for you to confirm."),
    refusal("IC507", "unknown-word", "Unknown algorithm, loss, column or value.", "\
`incrowd list` shows the names that incrowd knows; columns and values have to occur in the table."),
    refusal("IC508", "bad-query", "A query is not supported.", "\
Queries use a subset of SQL: SELECT with COUNT(*), SUM(column) or AVG(column); WHERE with conditions on one column \
each, combined with AND; and GROUP BY. Other queries cannot be estimated reliably from generalized cells, so they are \
refused. Put text values in single quotes, and column names with special characters in double quotes.

The message names what is not supported, and the hint names an alternative. docs/query.md describes the language."),
    refusal("IC520", "several-values-per-person",
        "A model that needs one value per person cannot be used: some people have several values.", "\
With a subject column, every model about sensitive values is evaluated on people. p-sensitivity, distinct, entropy \
and recursive ℓ-diversity, t-closeness, β-likeness and δ-disclosure privacy are about the distribution of one value \
per person. They are not defined for a person with several values: a class of three people who all have the same two \
diagnoses would count as having two distinct values, although both diagnoses of each person would be known.

Use α-deassociation (--alpha) or frequency ℓ-diversity (--model \"frequency-l-diversity:COLUMN,l=2\"), which limit \
the share of people who have a value at least once, or reduce the table to one value per person before it is \
anonymized."),
    refusal("IC521", "no-subject", "Rows without a subject cannot be used with models about sensitive values.", "\
All rows with an empty subject count together as one person. For k, this errs on the safe side. For the share of people who \
have a value, it does not: ten people with a diagnosis and without a subject would count as one.

Fill in the subject of these rows, or remove the rows. Without --subject, each row counts as a person."),
    refusal("IC525", "subject-unclear",
        "An identifier has repeated values, and neither --subject nor --rows-are-people is given.", "\
A release promises that, on the quasi-identifiers, each person is indistinguishable from at least k − 1 others. Rows are people only if each person has \
one row. Here, a column whose values each appear to identify one person has the same value in several rows, so a class \
of five rows may be one person, and the promise may be false.

A column counts as such an identifier if its name suggests a number given to each person, if its values are e-mail \
addresses or social security numbers, or if it is declared an identifier, unless the column name suggests something \
that different people can share: a part of a person's name, a part of an address, or a survey weight. Missing values do not count, and neither do a few values that many rows \
share.

Name the column with --subject (`role = \"subject\"` in a plan): people are then counted, and the column is not \
published. If each row is nevertheless a different person, declare this with --rows-are-people (`rows_are_people = \
true` under [source]). A column that does not identify people and only has to be left out needs no role: --others \
remove leaves it out."),
    refusal("IC526", "identifying-column-kept", "A column that may single out people would be published unchanged.", "\
A column is refused if it is free text, if each value appears to identify one person (a personal identification \
number, an e-mail address), or if it makes too many rows unique. An attacker may know an insensitive column, so at \
most 5 % of the rows may be unique on it, alone or together with the published quasi-identifiers. A sensitive column \
is assumed to be unknown to attackers, so it is refused only if there are at least 20 rows and at least 90 % of them \
have a unique value, as in an identifier.

Leave the column out (give it no role and use --others remove), declare it as a quasi-identifier with --qi so that it \
is generalized, or declare it sensitive if no outsider can know it. Alternatively, round exact amounts and \
measurements before the table is read.

--keep-identifying COLUMNS publishes the columns unchanged anyway (`keep_identifying = true` for a column of a plan). \
The report then counts them among the columns that an attacker knows, and reports the tests that fail."),
    refusal("IC530", "draft-not-confirmed", "The plan is a draft that has not been confirmed.", "\
`incrowd init` guesses the role of each column from its name and its values. A guess can be wrong, and a column that \
identifies people could then be published unchanged. Therefore each entry of a draft says `confirmed = false`, and \
`anonymize` refuses the plan as long as one entry does.

Read each entry and the reason next to it, and correct the role where it is wrong. Then set `confirmed = true`, or \
confirm all entries with `incrowd confirm PLAN`, which prints what it confirms; `--dry-run` only prints, `--columns \
a,b` confirms only these columns. A plan without `confirmed` is treated as written by hand and needs no confirmation."),
    refusal("IC531", "several-spellings", "A rule applies to a column in which some values differ only in letter case, \
    spaces or Unicode normalization.", "\
`HIV`, `hiv` and `HIV ` are three values to a program and one to a reader. A rule that counts distinct values, or the \
share of one value, would count each spelling, and the promise would hold for the text but not for the people: in a \
class with two spellings of one disease, everyone has that disease.

Merge the spellings with --fold-spellings COLUMN, or `spellings = \"fold\"` in the column's entry of the plan: the \
most frequent spelling is published for all of them, and the internal record notes the merge, so that `verify \
--against` still works. \
If they are different values, for example in a notation that distinguishes upper and lower case, use --keep-spellings \
COLUMN or `spellings = \"keep\"`. Other misspellings are not detected: they have to be corrected in the table."),
    refusal("IC532", "cannot-fold-spellings", "The spellings of a column cannot be merged.", "\
Spellings can be merged only in quasi-identifiers and sensitive columns. All distinct values of the column are \
compared, so the column must not have more distinct values than incrowd counts when it profiles a table.

Name another column, or correct the values in the table."),
    refusal("IC533", "treatment-refused", "A column cannot be published with the treatment that was given.", "\
A treatment changes the cells of a column that is neither generalized, kept nor removed. Not every treatment suits \
every column: quasi-identifiers are generalized and not treated; identifiers and the subject can be replaced by \
pseudonyms or left blank, because whatever else is published of them may identify people; a column that a rule of \
the policy protects is published unchanged, because the rule counts its values.

Two tables (--publish two-tables) publish their columns unchanged.

The message names the column and the reason. Choose another treatment or role, or leave the treatment out."),
    refusal("IC534", "known-rows-refused", "Nothing can be promised about several known rows of a person.", "\
--known-rows asks that at least k people have the same published rows, because attackers may know several rows of a \
person and look for the pseudonym that has them. It needs a column that says which rows are of one person (--subject), \
and pseudonyms of that column in the release (--treat COLUMN=pseudonym).

Without pseudonyms, the release does not show which rows are of one person. An attacker can then use one known row at a \
time, and k-anonymity with --subject is about that: --known-rows would only cost detail.

Groups of people are made by a solver of their own, so --algorithm cannot be given. Name the subject and publish its \
pseudonyms, or leave --known-rows out."),
    refusal("IC535", "several-tables-refused", "Several tables cannot be released together in this way.", "\
A plan with [[table]] describes several tables about the same people. They are solved together, so that at least k people \
have the same published rows in all tables, and are verified and published together. People have the same pseudonym in \
each table.

All tables are files, their tuples fit in memory, and the release is a folder. There is no cluster, no ledger, no \
repetition, no population and no second table of sensitive columns. Other commands than anonymize, confirm and verify \
read one table. A table that shares no person with the others is refused, because its subject is probably written \
differently: 4711 and 04711 are different people.

The message names what was refused. Leave it out, or release the tables one by one, without pseudonyms that link them."),
    refusal("IC540", "not-repeatable", "The release that this record belongs to cannot be repeated.", "\
A release is repeated with the key in its internal record. That gives the same bytes only if everything else is the \
same. A release cannot be repeated in three cases: a time limit or its user stopped the search, because that point depends on the \
machine and its load; executors without incrowd's code wrote the rows, because their order is not recorded; or an earlier \
version of incrowd wrote the record, because it then has no checksums to compare with. A release that a cluster wrote in \
several files is repeated on a cluster.

Make a new release. A release that is made without a time limit, on one machine or on a cluster of incrowd's own executors, \
can be repeated with the same table, plan and version of incrowd."),
    refusal("IC545", "same-label", "One label of a hierarchy stands for different values in two places.", "\
A release contains labels. If one label stands for different values in two places of a hierarchy (a value `Other` \
below a node `Other` that also contains another value; a value `*`; a value `1*` next to the prefix `1*`), readers \
cannot distinguish them, and two different equivalence classes look like one. The hierarchy is therefore refused when \
it is read or built.

The message names both places by line and cell, not the label, which may be a value of the table. Rename one of the \
two. For a hierarchy that is built from the column, rename the value in the table, give a hierarchy file with other \
labels, or, if `*` means that the value is missing, use --null '*'."),
    refusal("IC550", "not-in-population", "Rows of the table cannot be of anybody in the given population.", "\
A policy about a population (k-map, δ-presence) takes the table for a sample of the population: every row is of a person \
whom the population lists. For some combinations of quasi-identifiers the table has more rows than the population has \
people who may have these values, so some rows are of people whom the population lacks, and counts of matching people \
would mean nothing for them.

Usually the two tables write values differently (spelling, units, codes), the population is older than the table, or it \
is not the whole population. Compare the columns, and give a population that holds everyone in the table. A population \
that is coarser than the table is fine if its values are labels of the hierarchy.

The message gives the number of rows, not their values."),
    refusal("IC551", "unusable-population", "The population is unusable, or nothing is promised about it.", "\
The population is one CSV, Parquet or Arrow file: the verifier reads it independently, and its SHA-256 goes into the \
manifest.

A population is used by the promises about it (k-map, δ-presence); one that no promise is about is refused, because \
somebody may believe that it protects the table.

In a frequency table a column says how many people each row stands for. Its cells have to be whole numbers of at least 0, \
with none missing."),
    refusal("IC552", "needs-levels", "The model needs classes that do not overlap.", "\
δ-presence bounds the probability that a person is in the table by the share of a class: its rows divided by the people \
of the population who match it. If a person matches two classes, the shares add up, and the bound of each says too little. \
Local recoding makes such classes.

Use --algorithm incognito, which publishes each column on one level of its hierarchy, so that nobody matches two \
classes."),
];
