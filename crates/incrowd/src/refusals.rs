//! The codes of refusals: why there is no answer, and what to do.
//!
//! `IC4xx` are about reading and writing tables, `IC5xx` about what was asked, `IC6xx` about releases.
//!
//! A code is never reused for something else. The codes of findings are in `incrowd-core`.

use incrowd_core::{CODES, Code, Severity};

/// Every refusal code, in order.
pub const REFUSALS: &[Code] = &[
    refusal("IC401", "cannot-open", "A file could not be found, opened, read or written.", "\
The path names nothing, or the operating system refused it.

Check the path and your permissions. A pattern such as 'data/*.csv' wants quotes, so that incrowd sees the pattern and \
not the shell. In a folder, files whose name begins with `.` or `_` are not taken for data."),
    refusal("IC402", "unknown-format", "The format of a file is not known, or files of one table have different ones.", "\
incrowd reads CSV and TSV (also gzipped or zstd-compressed), Parquet and Arrow IPC. The ending of the name tells which; \
Parquet and Arrow files are also known by their first bytes.

Say --input-format when the name tells nothing. All files of one table need the same format."),
    refusal("IC403", "empty-table", "The table has no rows.", "\
Every promise holds for an empty table, so a check of one would always say yes. It is refused instead: an empty export \
is nearly always a failed one."),
    refusal("IC404", "bad-header", "Column names are missing, repeated or differ between the files of a table.", "\
Columns are known by their names. Two columns of one name would be confused with each other, and one of them could be \
published under the role of the other.

Rename the columns in the file. The message says at which positions they stand."),
    refusal("IC405", "bad-text", "A file or cell is not clean UTF-8 text.", "\
Bytes that are no text are a sign of another encoding (UTF-16, Windows-1252) or of a damaged file. Guessing would turn \
one value into two, or two into one, and the crowds would be counted wrong.

Convert the file with `iconv -f UTF-16 -t UTF-8` or `iconv -f WINDOWS-1252 -t UTF-8`. NUL characters have to be removed \
where they come from."),
    refusal("IC406", "ragged-lines", "A line has too many or too few cells, or a quote is never closed.", "\
When a line does not have as many cells as the header, values stand under the wrong column from there on. An open quote \
swallows all lines to the next quote, and rows are lost without a word.

Look at the line named. Cells that contain the delimiter, a quote or a line break are put in quotes; a quote inside is \
written twice. If the wrong delimiter was taken, name it with --delimiter."),
    refusal("IC407", "unknown-column", "A column was named that the table does not have.", "\
Names are compared letter for letter, with upper and lower case. The message names the closest one there is.

Names with commas cannot be given on the command line; put them into a plan."),
    refusal("IC408", "unsupported-type", "A column holds lists, structures or bytes.", "\
Only plain values can tell rows apart. Flatten the column into plain columns before the table is read, or leave it out."),
    refusal("IC409", "not-in-date-format", "A column does not follow the date format named for it.", "\
Dates other than YYYY-MM-DD are read only by a format you name, because 03.04.1980 is the 3rd of April in one country and \
the 4th of March in another. Every value has to follow it.

The letters: %d day, %m month, %Y year with four digits, %y with two, for example %d.%m.%Y or %m/%d/%Y."),
    refusal("IC410", "too-large", "The question needs more memory than was allowed.", "\
--memory bounds the run. Tuples beyond it go through the disk, but some questions (which column sets, which values) need \
all distinct tuples at once, and dictionaries of distinct values stay in memory.

Raise --memory, or ask about fewer columns. A column with almost as many values as rows is rather an identifier."),
    refusal("IC411", "no-temporary-folder", "The temporary folder could not be used.", "\
Codes that outgrow memory are written to a private folder that is closed to others and removed at the end.

Name a folder with room in it with --temp DIR. A folder that belongs to somebody else is refused: they could read along."),
    refusal("IC412", "stopped", "The work was stopped.", "\
SIGINT (Ctrl-C), SIGTERM, SIGHUP and a closed pipe end the work within a second. Temporary files are removed and no file \
is left half written. The exit status is 128 plus the number of the signal: 130, 143, 129 or 141.

A signal that arrives after the release was published does not remove the release: the answer is printed, and a note says \
so."),
    refusal("IC413", "engine-failed", "The query engine failed.", "\
The message names what it was doing. Its own words are withheld, because they may quote cells of the table.

Damaged files are the usual cause. If the file is well, please report it with the columns' types, without any data."),
    refusal(
        "IC414",
        "rows-differ",
        "A scan met another number of rows than the file holds.",
        "\
The rows of a table are counted before it is read. A reader that then meets more or fewer has misread something, and a \
person could be missing from every figure.

Check that no other program writes the file at the same time. If the file is well, please report it, without any data.",
    ),
    refusal("IC415", "table-changed", "The table changed while it was read.", "\
A release needs two scans: one to count tuples, one to recode rows. The second met a value, a number of rows or a tuple \
that the first did not, so what would be published is not what was judged.

Make sure that no other program writes the files, or copy them first."),
    refusal("IC416", "database-refused", "A database refused, or the connection to it failed.", "\
The message says what happened in our words, with the server's SQLSTATE: what the server itself says may quote cells. \
Passwords come from the environment, `~/.pgpass` or a file, and are never printed. A release is written in one \
transaction: when the connection is cut, nothing of it is there."),
    refusal("IC417", "store-refused", "An object store refused, or the connection to it failed.", "\
Credentials come from the environment, under the names that the provider's own tools use, and are never printed. What the \
store itself says is withheld: it may quote addresses that hold signatures. A release is one when its manifest is there, \
which is written last; what an upload that was cut left there is deleted by the next run \
with --force."),
    refusal("IC421", "cluster-failed", "The cluster could not be reached, or failed.", "\
A run with --cluster counts and recodes rows on executors. One that is lost is replaced by the others; when all are, when \
the scheduler is, or when a task fails on every attempt, the run ends here. Nothing was published, and what was staged is \
removed. The cluster's own words are withheld, because they may quote cells of the table.

The message names what happened and what to do. An executor that was killed leaves raw values in its work directory until \
it is started again there, which empties it."),
    refusal("IC422", "not-on-a-cluster", "Something was asked for that is not done on a cluster.", "\
Executors run plain plans and hold no code of incrowd's. What would need some (counting people by a subject column, \
publishing in two tables) is refused rather than done differently; so is a table that is not in files on a file system that \
all machines share.

Leave --cluster out. A machine with a disk goes further than one thinks: see docs/cluster.md for when a cluster is worth it."),
    refusal("IC423", "over-a-limit", "A file asks for more memory than it may.", "\
A small file can ask for much memory: by compression, by a length that it declares, or by a line that does not end. So a \
line has at most 16 MiB, or a sixteenth of --memory if that is less; a table at most 16,384 columns; a record batch or a row \
group at most half of --memory, or 64 MiB where that is more; a page at most an eighth; what a file says about itself at most a sixty-fourth, and so \
does a hierarchy file. A compressed text that becomes more than 400 times as large, and more than 128 MiB, is refused.

The message names the part and the limit. Raise --memory if the file is what it should be, or write it in smaller parts."),
    refusal("IC424", "first-line-unclear", "The first line of a text file looks like a row of data.", "\
Without a line of column names the first person would be lost as a row, and their values published as column names. A \
name shows a sign of a row when it is a number or a date as the cells below it, when it occurs again as a cell below it, or \
when it is empty or another column has it. A line is refused when half of the names show one, or a third of them and at \
least two. Years, dates and numbers that go on evenly beside ordinary names are no sign.

Say --no-header when the file has no such line: columns are then named column_1, column_2 and so on. Say --header when the \
first line does name the columns."),
    refusal("IC425", "not-whole", "A file is cut off, or goes on behind its end.", "\
An Arrow stream ends with an end-of-stream marker. One without it was cut off, and rows may be missing; bytes behind it may \
be another table, which would be lost.

Export or copy the file again. Tables that belong together are read from files of their own, by a folder or a pattern."),
    refusal("IC435", "file-exists", "A file stands where one is to be written.", "\
No command writes over a file that is there already, unless you say --force. That holds for plans, hierarchies, sample \
tables and the pages of a report.

Name another place to write to, or say --force when the file can go."),
    refusal("IC436", "clock-before-1970", "The clock of the machine shows a time before 1970.", "\
A release notes when it was made, and the query engine cannot work with such a time. Set the clock and run the command again."),
    refusal("IC437", "system-limit", "The operating system does not provide what a run needs.", "\
A run needs threads, open files and address space. Where a limit of the process does not allow them, nothing is read.

The message names the limit. `ulimit -a` shows the limits of a shell; containers and services have limits of their own. \
To bound the memory of a run, use --memory: it keeps to its limit by writing codes to temporary files, which a limit of the \
address space cannot make it do."),
    refusal("IC438", "output-not-written", "The answer of a command could not be written.", "\
The disk or the device that the output goes to refused it. The command had done its work by then: when the message says that \
a release was published, or that a file was written, it is complete, and nothing has to be repeated.

The exit status is 2, because the answer that was asked for is missing. `incrowd verify DIR` tells whether a release is whole."),
    refusal("IC501", "bad-hierarchy", "A hierarchy does not hold together, or does not fit its column.", "\
A hierarchy file has one line per value: the value, then ever more general labels, then `*`, separated by `;` or `,`. \
Every label has one label above it, and all lines are equally long unless you allow an unbalanced tree.

`incrowd hierarchy check FILE --table TABLE --column COLUMN` says which values are not covered."),
    refusal("IC502", "bad-plan", "The plan could not be read.", "\
A plan is a TOML file. Words that are not known are refused, so that a misspelt promise is never silently dropped.

`incrowd init FILE` drafts one; `incrowd init --schema` prints its JSON Schema, with which editors check it as you type."),
    refusal("IC503", "bad-policy", "A policy cannot be used with this table.", "\
A model has the wrong parameters, names a column that is not there, or is about sensitive columns that were not named.

`incrowd list models` shows every model with an example."),
    refusal("IC504", "bad-roles", "The roles of columns are missing or contradict each other.", "\
Every column has one role. Quasi-identifiers (--qi) are what an outsider may know about a person; sensitive columns are \
what nobody should learn; identifiers name people by themselves; the subject says which rows belong to the same person.

`incrowd check FILE` suggests a role for every column."),
    refusal("IC505", "too-many-sets", "There are too many column sets to look at each.", "\
n columns have 2ⁿ − 1 sets. Above twenty columns that is more than a million.

Use --sets, which finds the borders between safe and dangerous sets without looking at all of them, with --max-columns \
to bound their size, or name fewer columns."),
    refusal("IC506", "undeclared-columns", "A table is to be published, and a column has no role.", "\
A column that nobody thought about is the usual way in which people are given away. Roles are never guessed when a table \
is published.

Name every column: --qi what an outsider may know, --sensitive what nobody should learn, --identifier what names people \
(removed), --insensitive what may be published as it is. `--others remove` leaves all others out. `incrowd init FILE` \
drafts a plan with a role for every column, to be confirmed."),
    refusal("IC507", "unknown-word", "An algorithm, a loss, a column or a value was named that there is not.", "\
`incrowd list` shows the words there are."),
    refusal("IC508", "bad-query", "A question cannot be asked of a release.", "\
Questions are written in a small part of SQL: SELECT COUNT(*), SUM(column), AVG(column), WHERE with conditions that are each \
about one column and joined by AND, and GROUP BY. More than that cannot be estimated from cells that stand for several \
values, so it is refused and not guessed. A text stands in single quotes, a column with odd letters in double quotes.

The message names what cannot be taken, and the hint what to ask instead. docs/query.md shows the language."),
    refusal("IC520", "several-values-per-person", "A model about one value per person meets people with several values.", "\
With a subject column every model about sensitive values is judged on people. p-sensitivity, distinct, entropy and \
recursive ℓ-diversity, t-closeness, β-likeness and δ-disclosure privacy are about the distribution of one value per \
person. A person with several values has no place in it: three people who all have the same two diagnoses would count as two \
different values, and everybody would know both diagnoses of each.

Use α-deassociation (--alpha) or frequency ℓ-diversity (--model \"frequency-l-diversity:COLUMN,l=2\"), which bound the share \
of people who have a value at least once, or reduce the table to one value per person before it is anonymized."),
    refusal("IC521", "no-subject", "Rows have no subject, and people with sensitive values are to be counted.", "\
Rows with an empty subject column count as one person. For k that is on the safe side. For the share of people who have a \
value it is not: ten people with a diagnosis and without a subject would count as one.

Fill in the subject of these rows or remove them. Without --subject each row is counted as a person."),
    refusal("IC525", "rows-may-not-be-people", "An identifier repeats, and neither a subject nor a statement about rows is given.", "\
A release promises that each person is indistinguishable from k − 1 others. Rows are people only if each person has one row. \
Here a column whose values each stand for one person has the same value in several rows, so a class of five rows may be one \
person, and the promise would be false.

A column counts when its name says a number given to each person, when its values are e-mail addresses or social security \
numbers, or when it is declared an identifier and its name does not say a part of a name or an address, or a survey weight. Missing \
values do not count, and neither do a few values that many rows share.

Name the column with --subject (`role = \"subject\"` in a plan): people are then counted, and the column is not published. If \
each row is a different person all the same, state it with --rows-are-people (`rows_are_people = true` under [source]). A column \
that does not identify people and is only to be left out needs no role: --others remove leaves it out."),
    refusal("IC526", "identifying-column-kept", "A column that singles out people would be published unchanged.", "\
A column is refused when it is free text, when each value stands for one person (a person number, an e-mail address), or when \
it makes rows unique. For an insensitive column the limit is 5 % of the rows, unique by the column alone or together with the \
published quasi-identifiers: an attacker may know the column. A sensitive column is assumed to be unknown to attackers, so it \
is refused only if at least 90 % of 20 or more rows have a value of their own, as identifiers do.

Leave the column out (without a role, and with --others remove), declare it as a quasi-identifier with --qi so that it is generalized, or declare it \
sensitive if no outsider can know it; round exact amounts and measurements before the table is read.

--keep-identifying COLUMNS publishes the columns unchanged all the same (`keep_identifying = true` for a column of a plan). \
The report then counts them among what an attacker knows, and says what fails."),
    refusal("IC530", "draft-not-confirmed", "A plan was drafted, and its guesses are not confirmed.", "\
`incrowd init` guesses the role of each column from its name and its values. A guess can be wrong, and a column that \
identifies people would then be published unchanged. So each entry of a draft says `confirmed = false`, and `anonymize` \
refuses the plan as long as one does.

Read each entry and the reason beside it, and correct the role where it is wrong. Then set `confirmed = true`, or confirm \
all entries with `incrowd confirm PLAN`, which prints what it confirms; `--dry-run` prints only, `--columns a,b` confirms \
these alone. A plan without the key was written by hand and needs no confirmation."),
    refusal("IC531", "several-spellings", "A rule is about a column in which one value is spelled in several ways.", "\
`HIV`, `hiv` and `HIV ` are three values to a program and one to a reader. A rule that counts different values, or the share \
of one value, would count each spelling, and the promise would hold on the bytes and not for the people: in a class with \
two spellings of one disease everybody has that disease.

Read the spellings as one value with --fold-spellings COLUMN, or `spellings = \"fold\"` in the column's entry of the plan: \
the most frequent spelling is published for all of them, and the record says so, so that `verify --against` still holds. \
If they are different values, as in a notation in which case matters, say --keep-spellings COLUMN or `spellings = \"keep\"`. \
Other misspellings are not found: they have to be corrected in the table."),
    refusal("IC532", "cannot-fold-spellings", "The spellings of a column cannot be read as one.", "\
Spellings are read as one in columns whose values are published: quasi-identifiers and sensitive columns. All different \
values of the column are looked at, so there must not be more of them than a profile counts.

Name another column, or correct the values in the table."),
    refusal("IC540", "not-repeatable", "The release of a record cannot be repeated.", "\
A release is repeated with the key in its internal record. That gives the same bytes only if everything else is the same. \
Where a time limit stopped the search depends on the machine and its load, a cluster writes rows in an order of its own, \
and records of earlier versions hold no checksums to compare with.

Make a new release. One that is made without a time limit and without a cluster can be repeated."),
    refusal("IC545", "same-label", "One label of a hierarchy stands for different values in two places.", "\
A release holds labels. If one label stands for different values in two places of a hierarchy (a value `Other` below a \
node `Other` that holds another value, too; a value `*`; a value `1*` beside the prefix `1*`), a reader cannot tell \
which is meant, and two equivalence classes that differ look like one. So the hierarchy is refused when it is read or \
built.

The message names both places by line and cell, not the label, which may be a value of the table. Rename one of the \
two. For a hierarchy that is built from the column, rename the value in the table, give a hierarchy file with other \
labels, or, where `*` means that the value is missing, say --null '*'."),
    refusal("IC601", "infeasible", "No release of this table can keep the policy.", "\
Even with every quasi-identifier generalized to `*`, when the whole table is one class, a rule of the policy is broken; so \
it is in any release. The message says which rule, on which column, and the parameter that would be feasible.

k cannot be larger than the number of people. α cannot be smaller than the share of a protected value in the whole table: \
if a quarter of all people have a diagnosis, some class has at least a quarter. With a subject column, where a person may be \
in several classes, the release as a whole has to keep each model by definition, and the rows to withhold are chosen by a rule \
that need not find the fewest. Take the parameter the hint names, protect \
fewer values, or let rows be withheld with --suppress, which withholds those that stand in the way."),
    refusal("IC602", "not-verified", "The verifier refused a release, or could not read it.", "\
The verifier reads the written files by itself and shares no code with what wrote them. `incrowd verify DIR` names each \
fault: a file that is missing, changed or cut, counts that do not add up, a class that breaks the policy, a column that \
should not be there.

A release that is refused must not be published. Make it again from the table. When `anonymize` itself says this, nothing \
was published; it is a fault of incrowd, so please report it, without any data."),
    refusal("IC603", "removed-value-found", "A value that was removed stands in the written bytes.", "\
A sample of the values of removed columns, and of values that are published only in a coarser form, is searched for in the \
bytes of every file. One was found that no published cell accounts for. Nothing was published.

Look for free texts that repeat names or numbers of removed columns."),
    refusal("IC604", "target-taken", "The folder to write to is taken, or is not a release.", "\
A release is not replaced unless you say --force, and a folder that is not a release is never touched. The same holds \
for the internal record: NAME.internal may be the only record of a release that was moved elsewhere.

The place is checked when the run begins and again, under a lock, when the release is published: of two runs that \
write to one name, the second is refused and the first one's release stays."),
    refusal("IC605", "no-record", "The internal record of a release is not there or damaged.", "\
`anonymize` writes the folder NAME.internal beside the release NAME: the key of the shuffle, source, roles, hierarchies and what forced \
what. It is for the custodian alone and never published. Without it a release can still be verified, but not explained, \
and not compared with its original unless the hierarchies are named by hand."),
    refusal("IC606", "no-randomness", "The operating system gave no random numbers.", "\
Rows are shuffled with a cryptographic generator that the operating system seeds. Without it the order of rows could be \
guessed, and the order alone links every row to its person."),
    refusal("IC610", "record-of-another-release", "The internal record belongs to another release.", "\
The record and the manifest of a release carry the same id. Hierarchies, formats and measurements of another release \
would answer for tables that they do not describe, so such a record is never used.

A record comes to stand beside another release when a folder was renamed or copied by itself, or when a release was made \
again elsewhere. Name the record that was written with this release with --record DIR, or keep each NAME.internal beside \
its NAME."),
    refusal("IC613", "repeat-differs", "The files of a repeated release differ from the recorded ones.", "\
The recorded key was used, and the SHA-256 of a data file is not the recorded one. The table, the plan, the format or the \
version of incrowd is another, or rows of the table stand in another order. Nothing was published: two different releases \
whose rows stand in the same order could be joined row by row.

Use the table, the plan and the version that made the release. To publish something else, leave the record out; a new key is \
then drawn."),
    refusal("IC615", "foreign-files", "What would be replaced holds files that incrowd did not write.", "\
--force deletes a release and its internal record when the new ones are in place. It deletes only what incrowd wrote: \
every file must be listed, with its SHA-256, in the sealed manifest.json of the release, or in contents.json of the \
record. Any other file, and any file with other bytes, may be somebody's only copy; so nothing is deleted and nothing \
is published.

The message names the file. Move what you want to keep elsewhere, delete the folder yourself, or write to another \
folder."),
    refusal("IC616", "source-in-target", "The table that is read would be deleted when the release is published.", "\
The release was to replace the folder, the tables or the objects that the table is read from. The source of a run is \
never deleted.

Write the release to another place."),
    refusal("IC617", "not-put-back", "A release that was to be replaced could not be put back after a failure.", "\
With --force the old release and its record are set aside in a hidden folder until the new ones are in place; when a \
step fails, they are put back. That failed too, usually because the folder became read-only or a disk failed.

The message names that folder: it has the release as `old` and its record as `old-internal`. The next run to the same \
name puts them back before it begins; or rename them yourself."),
    refusal("IC618", "ledger-replaced", "The ledger was replaced while a release was made.", "\
Each ledger has a key under which people are recognized. The ledger that stands at the path now has another key than \
the one the run began with, or is gone, so the release cannot be entered and is not published.

Run again with the ledger that is there now."),
    refusal("IC619", "row-order-differs", "A later scan of the table met rows in another order, or other rows.", "\
A table that does not fit in memory is solved in shards, and its rows are then read again: the class of a row is found \
by its number. So the rows must come in the same order. A keyed hash of the columns that decide the class, chained in \
the order of the rows, is compared between the two scans for each part of the table. They differ, so the cells of one \
person might have been published with the class of another. Nothing was published.

Let nobody write to the table while it is read. A database query without ORDER BY has no order that it must keep: \
order it by a unique column. With more --memory the rows are matched by their values, and their order does not \
matter."),
    refusal("IC625", "no-release-found", "A release that keeps the policy was not found; there may be one.", "\
The table as one class does not keep the policy. For most models it follows that there is no release (IC601). It does not \
follow for the refined rule of α-deassociation, because smaller classes may have a larger share, nor where several models ask \
for rows to be withheld, because the same rows may serve several of them. All partitions of a table of at most 12 distinct \
tuples are searched. Of a larger one some are, and none of them keeps the policy; a full-domain recoding (incognito) has fewer \
choices.

No file was written, and there may be a release. Take the parameter that the hint names, with which the \
table keeps the policy as one class, use the exact rule with a larger α, or use another solver."),
    refusal("IC626", "senseless-value", "An option or parameter is unknown, missing, or has a value that makes no sense.", "\
A number that is not one (NaN), infinite, negative, zero where nothing would be left, or out of its range is refused, on the \
command line, in a plan and in Python. It would otherwise be read as some default, or compare as neither more nor less than \
anything: no value exceeds a limit that is not a number.

The message names the option and what it has to be. `incrowd COMMAND --help` shows all options with their units."),
    refusal("IC627", "asked-twice", "The same thing is asked for twice, or two things exclude each other.", "\
Two bounds of one model on the same column, two hierarchies or date formats of one column, two limits of one figure: whichever \
counted, a reader of the command or plan could believe that the other one does. A release that keeps the looser of two bounds \
would break what was asked for, so neither is chosen.

Name each once. Different models on one column are no contradiction: all of them have to hold."),
    refusal("IC630", "release-changed", "A release was changed since it was made.", "\
Before a release is read, the seal of manifest.json, the names and the SHA-256 of every file, and the absence of any other \
file are checked. Where the internal record is at hand, it names the seal of the manifest that it was written with. \
Something differs; the message says which file.

Figures about a changed release would be about other data than the published ones, so no command answers, attacks, \
compares or reports on it. `incrowd verify DIR` lists every difference. Get the release again from where it was \
published, or make it again."),
    refusal("IC631", "record-changed", "The internal record of a release was changed since it was written.", "\
The folder NAME.internal holds contents.json, which lists the files of the record with their SHA-256. A listed file is \
missing or has other bytes, or the list itself is missing. Hierarchies, counts and figures of a changed record would be \
used as if they had been written with the release.

Restore the folder from a backup. Without it, move the folder elsewhere: the release can then be read as its recipients \
read it."),
    refusal("IC632", "link-in-place", "A symbolic link stands where something would be written.", "\
Releases, records, plans, hierarchies and tables are not written through symbolic links, and links are not replaced, even \
with --force: what a link points to may belong to somebody else, and a link whose target is missing would have the files \
written to a place that the command does not name.

Name the file or folder that the link points to, or another one. A ledger may be a link to a ledger."),
];

const fn refusal(code: &'static str, name: &'static str, summary: &'static str, explanation: &'static str) -> Code {
    Code { code, name, severity: Severity::Refusal, summary, explanation }
}

/// The finding or refusal with this code or name, in any case.
pub fn explain(code_or_name: &str) -> Option<&'static Code> {
    let same = |text: &str| text.eq_ignore_ascii_case(code_or_name);
    CODES.iter().copied().chain(REFUSALS).find(|code| same(code.code) || same(code.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_never_used_twice() {
        let all: Vec<&Code> = CODES.iter().copied().chain(REFUSALS).collect();
        for (index, code) in all.iter().enumerate() {
            let twice = all[..index].iter().any(|other| other.code == code.code || other.name == code.name);
            assert!(!twice, "{} is used twice", code.code);
        }
    }

    #[test]
    fn every_code_an_error_can_carry_is_explained() {
        let engine = (401..=417).chain(421..=422).map(|number| format!("IC{number}"));
        let asked = (501..=508).chain(520..=521).chain(525..=526).chain(530..=532).chain([540, 545]);
        let library = asked.chain(601..=606).chain([610, 613]).chain(615..=619).map(|number| format!("IC{number}"));
        engine.chain(library).for_each(|code| assert!(explain(&code).is_some(), "{code}"));
    }
}
