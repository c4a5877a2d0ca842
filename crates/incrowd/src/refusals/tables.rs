//! `IC4xx`: reading and writing tables.

use incrowd_core::Code;

use super::refusal;

#[rustfmt::skip]
pub(super) const TABLES: &[Code] = &[
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
    refusal("IC439", "lakehouse-table", "A Delta or Iceberg table cannot be read.", "\
A Delta table is a folder of Parquet files with a log that says which of them are the table; files with changed or deleted \
rows stay in the folder. incrowd reads the files that the log names. What changes the rows of a file or the names of its \
columns is not supported: deletion vectors, mapped columns, partitions. Neither are Iceberg tables.

Such a table is refused, because reading all its files would bring back rows that were deleted. Write its current rows as \
Parquet files into another folder with the program that made it, and read that folder. `table@v3` is version 3 of a Delta \
table."),
    refusal("IC440", "not-a-delta-table", "A release cannot be written as a Delta table.", "\
A Delta table has one set of columns with types of its own. A release in two tables is none, a database has no files, \
a column with times of the day, instants in nanoseconds or unsigned 64-bit numbers that is published unchanged has \
no type, and columns whose names differ only in letter case are one column to readers.

Write the release as Parquet files with --output-format parquet. Or remove the column, or convert it before."),
];
