//! The codes of refusals: why there is no answer, and what to do.
//!
//! `IC4xx` are about reading and writing tables, `IC5xx` about what was asked, `IC6xx` about releases.
//!
//! A code is never reused for something else. The codes of findings are in `incrowd-core`.

use incrowd_core::{Code, Severity};

/// Every refusal code, in order.
#[rustfmt::skip]
pub const REFUSALS: &[Code] = &[
    refusal("IC401", "cannot-open", "A file could not be found, opened, read or written.", "\
Usually the path does not exist, or the operating system refused access.

Check the path and your permissions. A pattern such as 'data/*.csv' needs quotes so that the shell does not expand \
it. In a folder, files whose names begin with `.` or `_` are ignored."),
    refusal("IC402", "unknown-format",
        "The format of a file is unknown, or the files of a table have different formats.", "\
incrowd reads CSV and TSV (also compressed with gzip or zstd), Excel and OpenDocument workbooks, Stata, SPSS and SAS \
transport files, Parquet and Arrow IPC. The file name extension determines the format; Parquet and Arrow files are also detected by their first bytes.

Use --input-format if the name does not show the format. All files of a table need the same format."),
    refusal("IC403", "empty-table", "The table has no rows.", "\
Every promise holds trivially for an empty table, so a check of it would be meaningless. An empty table is usually the \
result of a failed export: check the file and export it again."),
    refusal("IC404", "bad-header", "Column names are missing or repeated, or differ between the files of a table.", "\
Columns are identified by their names. With duplicate names, a column could be published under the role of another.

Rename the columns in the file. The message gives their positions."),
    refusal("IC405", "bad-text", "A file or cell is not valid text in its encoding, or contains NUL characters.", "\
Invalid bytes indicate another encoding (UTF-16, Windows-1252) or a damaged file. A wrong guess of the encoding could \
split one value into two or merge two into one, and the classes would be counted incorrectly.

Files are read as UTF-8 unless another encoding is named. Name it with --encoding, for example \
`--encoding windows-1252`; the message proposes the encoding that the file looks like. If the file contains NUL \
characters, remove them in the program that writes the file."),
    refusal("IC406", "ragged-lines", "A line has too many or too few cells, or a quote is not closed.", "\
If a line has more or fewer cells than the header, its values may be in the wrong columns. A quote that is not closed \
makes one cell of all lines up to the next quote, and rows would be lost silently.

Check the line in the message. Put cells that contain the delimiter, a quote or a line break in quotes, and double \
every quote inside such a cell. If the detected delimiter is wrong, set it with --delimiter."),
    refusal("IC407", "unknown-column", "The table does not have a column of this name.", "\
Names are compared exactly, including upper and lower case. The message suggests the closest name.

Names with commas cannot be given on the command line; put them into a plan."),
    refusal("IC408", "unsupported-type", "A column contains lists, structs or binary data.", "\
Only scalar values can be grouped. Convert the column to scalar columns before the table is read, or leave it out."),
    refusal("IC409", "not-in-format", "Values of a column do not match the format that was given.", "\
Dates in a format other than YYYY-MM-DD are read only if the format is given with --date-format, because 03.04.1980 is \
the 3rd of April in one country and the 4th of March in another. Every value must match the format: correct the \
values, or give another format.

%d is the day, %m the month, %Y the year with four digits, %y with two; for example %d.%m.%Y or %m/%d/%Y.

Numbers such as 1.234,5 are read as numbers only in the columns named with --decimal-comma, because 1.234 is 1234 in \
one country and 1.234 in another. Every value of such a column must be a number with a decimal comma."),
    refusal("IC410", "too-large", "The request needs more memory than --memory allows.", "\
--memory limits the memory of a run. Tuples that do not fit are written to temporary files, but some questions (about \
column sets or values) need all distinct tuples at once, and dictionaries of distinct values stay in memory.

Raise --memory, or use fewer columns. A column with almost as many distinct values as rows is often an identifier."),
    refusal("IC411", "no-temporary-folder", "The temporary folder could not be used.", "\
Codes that do not fit in memory are written to a private folder, which other users cannot read and which is removed \
at the end.

Use --temp DIR to name a folder with free space. A folder that belongs to another user is refused, because that user \
could read the files."),
    refusal("IC412", "stopped", "The run was stopped.", "\
SIGINT (Ctrl-C), SIGTERM, SIGHUP and a closed pipe end the run within a second. Temporary files are removed, and no \
incomplete file remains. The exit status is 128 plus the number of the signal: 130, 143, 129 and 141, respectively.

A signal that arrives after the release was published does not remove the release: the result is printed, with a note \
about the signal."),
    refusal("IC413", "engine-failed", "Reading the table failed.", "\
The message names the step that failed. The message of the reader is not shown, because it may quote cells of the \
table.

The usual cause is a damaged file. If the file is intact, please report this with the column types, without any data."),
    refusal("IC414", "rows-differ", "A scan of the table found a different number of rows than were counted first.", "\
The rows of a table are counted before it is read. If a scan then finds more or fewer rows, the table was misread or \
changed in between, and people could be missing from the figures.

Check that no other program writes to the file during the run. If the file is intact, please report this, without any \
data."),
    refusal("IC415", "table-changed", "The table changed while it was read.", "\
A release needs two scans: one to count tuples, one to recode rows. The second scan found a value, a number of rows \
or a tuple that the first did not, so the published rows would not be the rows that were checked.

Make sure that no other program writes to the files, or copy them first."),
    refusal("IC416", "database-refused", "A database returned an error, or the connection failed.", "\
The message describes the error in incrowd's own words and gives the SQLSTATE of the server. The server's own message \
is not shown, because it may quote cells. Passwords come from the environment, `~/.pgpass` or a file, and are never printed. A \
release is written in one transaction: if the connection is lost before the transaction is committed, nothing is \
written. Check the address, the credentials and the permissions, and run the command again."),
    refusal("IC417", "store-refused", "An object store returned an error, or the connection failed.", "\
Credentials are read from the environment variables that the provider's own tools use, and are never printed. The \
message of the store itself is not shown, because it may quote addresses with signatures. A release is complete when \
its manifest, which is written last, exists. The next run with --force to the same address deletes the remains of an \
interrupted upload. Check the address, the credentials and the permissions, and run the command again."),
    refusal("IC421", "cluster-failed", "The cluster could not be reached, or failed.", "\
A run with --cluster counts and recodes rows on executors. If an executor is lost, the others repeat its tasks. The \
run ends if all executors or the scheduler are lost, or if a task fails on every attempt. Nothing was published, and \
staged files are removed. The messages of the cluster itself are not shown, because they may quote cells of the \
table.

The message says what happened and what to do. An executor that was killed leaves original values in its work \
directory until an executor is started there again, which empties the directory."),
    refusal("IC422", "not-on-a-cluster", "The request is not supported on a cluster.", "\
Treating columns is not supported on a cluster, and neither is counting people by a subject column in `check` and \
`diagnose`. Executors without incrowd's code do not count people or publish two tables. A table must be in files on a file \
system shared by all machines.

Run without --cluster. One machine is enough for most tables: see docs/cluster.md for when a cluster is useful."),
    refusal("IC423", "over-a-limit", "Reading a file would need more memory than allowed.", "\
A small file can require a lot of memory because of compression, a declared length, or a line that does not end. The \
limits are: 16 MiB for a line, or a sixteenth of --memory if that is less; 16,384 columns for a table; half of \
--memory for a record batch or a row group, or 64 MiB if that is more; an eighth of --memory for a page; a \
sixty-fourth of --memory for the metadata of a file and for a hierarchy file. A compressed text file is refused if it \
expands to more than 400 times its size and more than 128 MiB.

The message names the part and the limit. If the file is correct, raise --memory if the limit depends on it; otherwise \
write the table in smaller parts, with fewer columns, or uncompressed."),
    refusal("IC424", "first-line-unclear", "The first line of a text file looks like a row of data.", "\
If the file has no header line, the first person's row would be lost, and its values could be published as column \
names. \
A name looks like a cell if it is a number or a date like the cells below it, if it occurs again as a cell below it, \
or if it is empty or the name of another column. A line is refused if at least half of the names look like cells, or \
if at least two names and at least a third of all names do. Years, dates and numbers that form a regular sequence do \
not count if the line also contains ordinary names.

Use --no-header if the file has no header line: columns are then named column_1, column_2 and so on. Use --header if \
the first line does contain the column names."),
    refusal("IC425", "incomplete-file", "A file is truncated, or has data after its end.", "\
An Arrow stream ends with an end-of-stream marker. A stream without it was truncated, and rows may be missing; data \
after it may be another table, which would be lost.

Export or copy the file again. To read several files as one table, put them in a folder or use a pattern."),
    refusal("IC426", "no-table-in-workbook", "A workbook cannot be read as one table.", "\
A table is one sheet of a workbook, or a range of its cells: the first row has the names of the columns, and each other \
row is one row of the table. Merged cells have one value for several rows and would be read as one value and missing \
ones; cells beside the table belong to something else.

Name the sheet with --sheet and the cells with --range, or unmerge cells in a spreadsheet program. A workbook with a \
password has to be saved without it. A release with a row in which every value is missing cannot be a workbook: use \
--output-format."),
    refusal("IC427", "statistics-file", "A file of Stata, SPSS or SAS cannot be read, or a release cannot be written as one.", "\
A file that is broken, protected by a password, or written in an encoding that it does not name is refused, because \
values would be read wrongly. A release as a file of Stata or SPSS follows the rules of the package: names of columns \
have letters, digits and underscores (at most 32 characters in Stata, 64 bytes in SPSS), and texts have at most 2,045 \
bytes in Stata and 255 in SPSS.

Name the encoding of an old file with --encoding, or save the file again in its program, without a password and as \
UTF-8, or export it as CSV. Write the release in another format with --output-format, or rename or remove the column \
that the message names."),
    refusal("IC428", "not-in-dialect", "A release cannot be written in the dialect of the table.", "\
A release of a CSV file has the delimiter, the encoding and the decimal commas of that file, so that the programs that \
wrote it can read the release. A label of a hierarchy can have a letter that the encoding lacks, such as ≥ in \
windows-1252. In a column with decimal commas, a label such as 10,20 would be read as a number.

A letter that an encoding lacks would be lost or replaced, and a label that is read as a number would be another value. \
Nothing was published.

Write the release as UTF-8 with commas and decimal points by --output-dialect standard, or change the labels of the \
hierarchy."),
    refusal("IC435", "file-exists", "The output file already exists.", "\
No command overwrites an existing file without --force. This applies to plans, hierarchies, sample tables and report \
pages.

Name another output file, or use --force if the file may be replaced."),
    refusal("IC436", "clock-before-1970", "The clock of the machine shows a time before 1970.", "\
A release records when it was made. Set the clock and run the \
command again."),
    refusal("IC437", "system-limit", "The operating system does not provide what a run needs.", "\
A run needs threads, open files and address space. If a limit of the process does not allow them, nothing is read.

The message names the limit. `ulimit -a` shows the limits of a shell; containers and services have separate limits. \
To limit the memory of a run, use --memory: the run then writes codes to temporary files. A limit on the address space \
does not have this effect."),
    refusal("IC438", "output-not-written", "The output of a command could not be written.", "\
The disk or the output device returned an error. The command itself had finished: if the message says that a release \
was published or that a file was written, that release or file is complete, and the command need not be repeated.

The exit status is 2, because the output is missing or incomplete. `incrowd verify DIR` checks whether a release is complete."),
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
    refusal("IC601", "infeasible", "The policy is infeasible: no release of this table can meet it with the \
    suppression that is allowed.", "\
Even if every quasi-identifier is generalized to `*`, so that the whole table is one class, a rule of the policy is \
violated. For this rule, it follows that every other release violates it too; where this does not follow, IC625 is \
reported. The message names the rule, the column, and the parameter that would be \
feasible.

k cannot be larger than the number of people. α cannot be smaller than the share of a protected value in the whole \
table: if a quarter of all people have a diagnosis, some class has at least a quarter. With a subject column, a person \
may be in several classes. The release as a whole then has to meet the definition of each model, and the rows to \
suppress are chosen by a heuristic that does not always find the smallest number: suppressing other rows could be \
enough. Use the parameter in the hint, protect fewer values, or \
allow suppression with --suppress."),
    refusal("IC602", "not-verified", "The verifier did not accept a release, or could not read it.", "\
The verifier reads the written files independently and shares no code with the part that wrote them. `incrowd verify \
DIR` names each fault: a missing, changed or truncated file, counts that do not add up, a class that violates the \
policy, a column that should not be there.

A release that is not accepted must not be published. Make it again from the table. If `anonymize` itself reports \
this, nothing was published. Check the disk for errors; if there are none, it is probably a bug in incrowd: please \
report it, without any data."),
    refusal("IC603", "removed-value-found", "A removed value was found in the written files.", "\
A sample of the values of removed columns, and of values that are published only in generalized form, is searched for \
in the bytes of every file. One was found that no published cell accounts for. Nothing was published.

Check free-text columns for names or numbers that also occur in removed columns."),
    refusal("IC604", "output-exists", "The output folder or its internal record already exists and was not replaced.", "\
A release is not replaced without --force, and a folder that is not a release is never changed. Name another output \
folder, or use --force to replace a release. The same holds for \
the internal record: NAME.internal may be the only record of a release that was moved elsewhere.

The output folder is checked when the run begins and again, under a lock, when the release is published: of two runs \
that write to the same name, the second is refused, and the release of the first remains."),
    refusal("IC605", "no-record", "The internal record of a release is missing or damaged.", "\
`anonymize` writes the folder NAME.internal next to the release NAME. It contains the key of the shuffle, the source, \
the roles, the hierarchies and the reasons for each generalization. It is for the custodian only and must not be published. Without \
it, a release can still be verified, but it cannot be explained, and it can be compared with the original table only \
if the hierarchies are given explicitly. Restore the folder from a backup, or name it with --record DIR if it is \
elsewhere."),
    refusal("IC606", "no-randomness", "The operating system provided no random numbers.", "\
Rows are shuffled with a cryptographic generator that the operating system seeds. Without random numbers, the order of \
rows could be guessed, and the order alone can link rows to people. Make sure that the system's random number \
generator is available, and run the command again."),
    refusal("IC610", "record-of-another-release", "The internal record belongs to another release.", "\
The record and the manifest of a release have the same id. Hierarchies, formats and measurements of another release \
would give wrong answers, so such a record is never used.

This happens if a folder was renamed or copied without its record, or if a release was made again elsewhere. Name the \
record of this release with --record DIR, or keep each NAME.internal next to its NAME."),
    refusal("IC613", "repeat-differs", "The files of a repeated release differ from the recorded ones.", "\
The recorded key was used, but the SHA-256 of a data file is not the recorded one. The table, the plan, the format or \
the version of incrowd is different, or the rows of the table are in another order. Nothing was published: two \
different releases whose rows are in the same order could be joined row by row.

Use the table, the plan and the version that made the release. To publish something else, make a new release without \
this record; a new key is then drawn."),
    refusal("IC615", "foreign-files", "The folder to replace contains files that incrowd did not write, or that were \
    changed since.", "\
--force deletes a release and its internal record when the new ones are in place. It deletes only what incrowd wrote: \
every file must be listed, with its SHA-256, in the sealed manifest.json of the release, or in contents.json of the \
record. Any other file, and any file whose content has changed, may be the only copy of its data, so nothing is \
deleted and nothing is published.

The message names the file. Move what you want to keep, delete the folder yourself, or write to another folder."),
    refusal("IC616", "source-in-target", "Publishing would delete the source table.", "\
The release would replace the folder, the tables or the objects that the table is read from. The source of a run is \
never deleted.

Write the release to another folder or name."),
    refusal("IC617", "restore-failed", "The previous release could not be restored after a failure.", "\
With --force, the old release and its record are moved to a hidden folder until the new ones are in place; if a step \
fails, they are restored. Here, restoring them failed too, usually because the folder became read-only or a disk \
failed.

The message names the hidden folder, which contains the previous release as `old` and its record as `old-internal`. The \
next run that writes to the same name restores them before it begins. You can also move them back yourself."),
    refusal("IC618", "ledger-replaced", "The ledger was replaced while a release was made.", "\
Each ledger has a key that is used to recognize the same person in several releases. The ledger at this path now has a \
different key than at the start of the run, or no longer exists, so the release cannot be added to it and is not \
published.

Run again with the current ledger."),
    refusal("IC619", "row-order-differs",
        "A later scan of the table found the rows in another order, or other rows.", "\
A table that does not fit in memory is solved in shards, and its rows are then read again: the class of a row is found \
by the row number, so the rows must come in the same order. A keyed hash of the columns that decide the class, \
chained in the order of the rows, is compared between the two scans for each part of the table. The hashes differ, so \
the cells of one person could have been published with the class of another. Nothing was published.

Make sure that nothing writes to the table during the run. A database query without ORDER BY has no defined order: \
add ORDER BY over a unique column. If --memory is large enough for the table, rows are matched by their values, and \
their order does not matter."),
    refusal("IC625", "no-release-found", "No release that meets the policy was found, but one may exist.", "\
The table as one class does not meet the policy. For most models, it follows that no release can meet it (IC601). It \
does not follow for the refined rule of α-deassociation, because that rule allows a larger share in smaller classes. \
It also does not follow if several models require rows to be suppressed, because suppressing the same rows may be \
enough for several models. For a table of at most 12 \
distinct tuples, all partitions are searched. For larger tables, only some are searched, and none of them meets the \
policy; a full-domain recoding (incognito) has fewer choices.

No file was written. A release that meets the policy may still be possible. Use the parameter in the hint, with which the table meets the policy as \
one class, use the exact rule with a larger α, or use another solver."),
    refusal("IC626", "invalid-value", "An option or parameter is unknown or missing, or has an invalid value.", "\
NaN, infinite numbers, numbers out of range (such as a negative limit), and zero where at least one is needed are \
refused on the command line, in a plan and in Python. Otherwise a default could be used silently, or a limit could have no effect: no value \
exceeds NaN.

The message names the option and the values that it may have. `incrowd COMMAND --help` shows all options with their \
units."),
    refusal("IC627", "contradictory-settings", "A setting is given twice, or two settings contradict each other.", "\
Examples are two limits of one model on the same column, two hierarchies or date formats of one column, and two \
limits of one figure. If only one of them were used, a reader of the command or plan could believe that the other one \
was used. \
A release that meets only the looser of two limits would not meet the stricter one, so neither is chosen.

Give each setting once. Different models on one column are not a contradiction: all of them have to hold."),
    refusal("IC630", "release-changed", "A release was changed after it was made.", "\
Before incrowd reads a release, it checks the seal of manifest.json, the name and the SHA-256 of every file, and that \
there are no other files. If the internal record is present, it must contain the seal of the manifest. Something \
differs; the message names the file.

Figures about a changed release would describe data other than the published data, so incrowd does not query, attack, \
compare or report on it. `incrowd verify DIR` lists every difference. Get the release again from \
where it was published, or make it again."),
    refusal("IC631", "record-changed", "The internal record of a release was changed after it was written.", "\
The folder NAME.internal contains contents.json, which lists the files of the record with their SHA-256. A listed file \
is missing or its content has changed, or the list itself is missing. Hierarchies, counts and figures of a changed \
record would be used as if they had been written with the release.

Restore the folder from a backup. If there is none, move the folder elsewhere: the release can then be read in the \
same way as by its recipients."),
    refusal("IC632", "output-is-link", "The output path is a symbolic link.", "\
Releases, records, plans, hierarchies and tables are not written through symbolic links, and links are not replaced, \
even with --force: the target of a link may belong to another user, and if the target is missing, the files would be \
written to a place that the command does not name.

Name the file or folder that the link points to, or another one. A ledger may be a link to a ledger."),
    refusal("IC633", "several-tables-in-release", "The release has several tables, and the question is about one.", "\
A release of several tables is a folder with a folder for each table and a manifest over them. Each of these folders is a \
release of one table with its own manifest, and can be queried, attacked, compared, explained and reported on.

`incrowd verify` takes the whole release and checks the tables together. With the original table, it takes the folder of one \
table.

Name the folder of a table, such as release/visits."),
];

const fn refusal(code: &'static str, name: &'static str, summary: &'static str, explanation: &'static str) -> Code {
    Code { code, name, severity: Severity::Refusal, summary, explanation }
}
