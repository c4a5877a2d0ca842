//! `IC6xx`: releases.

use incrowd_core::Code;

use super::refusal;

#[rustfmt::skip]
pub(super) const RELEASES: &[Code] = &[
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
    refusal("IC620", "outcome-unknown", "Whether the release was published is not known.", "\
The connection to the database or the object store was lost in the last step, which makes the release visible, and the \
server could not be asked afterwards. Either the whole release is there or it is not; `incrowd verify` refuses a part of it.

A release without its internal record would be worse than a record without a release, so the record is kept. With \
--force, the release that was to be replaced may still be there; its record is kept too, as NAME.internal.before. \
`incrowd verify` shows whether there is a release. Its manifest and record.json name the same `release` if they belong \
together; delete the other record. Or run again with --force. The entry in a ledger stays: the people may have been released."),
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
