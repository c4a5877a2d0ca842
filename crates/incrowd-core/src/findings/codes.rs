//! The finding codes: stable names for what a diagnosis can find, each with an explanation for a person.
//!
//! A code is never reused for something else. `IC1xx` are about classes that are too small, `IC2xx` about the role or
//! form of a column, `IC3xx` about the table as a whole.
//!
//! The codes of refusals, `IC4xx` to `IC6xx`, are in `refusals/` of the crate `incrowd`.

pub use super::code::{Code, Severity};

/// Declares the codes, and lists them as they are declared.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:expr;)*) => {
        $($(#[$doc])* pub const $name: Code = $code;)*

        /// Every code, in order.
        pub const CODES: &[&Code] = &[$(&$name),*];
    };
}

/// The code or name as a person writes it, in any case.
pub fn find(code_or_name: &str) -> Option<&'static Code> {
    let same = |text: &str| text.eq_ignore_ascii_case(code_or_name);
    CODES.iter().find(|code| same(code.code) || same(code.name)).copied()
}

codes! {
/// The smallest class is smaller than the requested k.
K_BELOW_THRESHOLD = Code {
    code: "IC101",
    name: "k-below-threshold",
    severity: Severity::Danger,
    summary: "Some people are in a class smaller than the requested k.",
    explanation: "\
Rows with the same values in all quasi-identifiers form a class. The k of a table is the size of its smallest class; \
here it is below the requested k.

An attacker who knows a person's quasi-identifiers can find that person's class. In a class of two, a guess at the \
person's row is right half the time, and a value that both rows share is known with certainty.

Generalize the quasi-identifiers with `incrowd anonymize`, remove the column that causes most of the risk, or allow a \
small share of rows to be suppressed: the suppression curve shows how many rows have to be suppressed for each k.",
};

/// Some rows are unique.
UNIQUE_ROWS = Code {
    code: "IC102",
    name: "unique-rows",
    severity: Severity::Danger,
    summary: "Some rows are unique on the quasi-identifiers.",
    explanation: "\
No other row has the same values in all quasi-identifiers, so an attacker who knows these values of a person, and \
knows that the person is in the table, can identify that person's row and read the other columns.

A row that is unique in a sample need not be unique in the population, but relatives and colleagues often know who \
took part.

Generalize or remove columns until no row is unique. If only a few rows are unique, suppressing them may cost the \
least.",
};

/// One column alone has classes smaller than the requested k.
RISKY_COLUMN = Code {
    code: "IC103",
    name: "risky-column",
    severity: Severity::Danger,
    summary: "A single column puts people in classes smaller than k.",
    explanation: "\
Some values of this column occur in fewer rows than the requested k. Every set of columns that contains this one is \
at least as risky.

Rare values are also the ones that outsiders remember: the only ninety-year-old, the only person from a small \
country.

Generalize this column first (ranges instead of numbers, regions instead of places, one label for all rare values), or \
remove it.",
};

/// A set of columns has classes smaller than the requested k, although none of its subsets has.
RISKY_SET = Code {
    code: "IC104",
    name: "risky-set",
    severity: Severity::Warning,
    summary: "A few columns together put people in classes smaller than k.",
    explanation: "\
Each of these columns alone reaches k, and so does every smaller subset; classes smaller than k appear only if all \
columns of the set are combined. The set is one of the smallest dangerous sets: every larger set that contains it is \
dangerous too.

An attacker who knows only a person's values in these columns may narrow the table down to fewer rows than the \
requested k.

The set reaches k if any one of its columns is removed, or generalized enough. Start with the column that occurs in \
the largest number of these sets.",
};

/// Missing values form classes smaller than the requested k.
MISSING_STANDS_OUT = Code {
    code: "IC105",
    name: "missing-stands-out",
    severity: Severity::Warning,
    summary: "Rows with a missing quasi-identifier are in classes smaller than k.",
    explanation: "\
A missing value counts as a separate value, because outsiders can see that it is missing. Rows with a missing value \
form their own classes, and here too few of them share the other values.

Some tools leave such rows out when they count, and report a k that does not hold for these people. incrowd counts \
them.

Treat a missing value like any rare value: generalize the column so that missing values get the same label as other \
values, or suppress the rows.",
};

/// Nearly every row is unique.
ALMOST_ALL_UNIQUE = Code {
    code: "IC106",
    name: "almost-all-unique",
    severity: Severity::Danger,
    summary: "Almost every row is unique: the quasi-identifiers are too detailed.",
    explanation: "\
If almost every row is unique, suppression alone does not help: hardly any rows would remain.

Usually one or two very detailed columns are the cause: an exact date, a full postcode, an amount to the cent, a \
timestamp, or a number that is in fact an identifier.

Check the columns with the most distinct values. Declare true identifiers as identifiers, so that they are removed, \
and give the others a hierarchy with coarse levels.",
};

/// A column that is published unchanged makes rows unique.
KEPT_COLUMN_SINGLES_OUT = Code {
    code: "IC125",
    name: "kept-column-singles-out",
    severity: Severity::Danger,
    summary: "A column that is published unchanged or treated splits classes into ones smaller than k.",
    explanation: "\
The promise of k-anonymity is about the quasi-identifiers. A column that is published unchanged or treated next to them, and \
that an attacker could know, splits their classes: the message gives the share of rows that are unique on the \
quasi-identifiers together with this column, and the size of the smallest class.

An attacker who knows a person's value in this column may find that person's row, or a class smaller than k, although \
the quasi-identifiers are generalized. The report includes such columns in the three tests of Opinion 05/2014 of the \
Article 29 Working Party (singling out, linkability, inference) and in the risk figures.

Declare the column as a quasi-identifier, so that it is generalized; declare it as sensitive, if no outsider can know \
it; or give it no role and use --others remove, so that it is left out.",
};

/// A sensitive column makes rows unique.
SENSITIVE_COLUMN_SINGLES_OUT = Code {
    code: "IC126",
    name: "sensitive-column-singles-out",
    severity: Severity::Note,
    summary: "Some rows are unique on the quasi-identifiers together with a sensitive column.",
    explanation: "\
A sensitive column is published unchanged or treated, on the assumption that an attacker does not know it. The message gives the \
share of rows that an attacker who does know it can single out, and the size of the smallest class.

Diversity of sensitive values within a class makes rows unique in this sense, and is desirable: it protects against \
inference. The figure shows how much of the protection depends on the assumption that attackers do not know the \
column.

If outsiders can know the column, declare it as a quasi-identifier. Otherwise, no action is needed.",
};

/// A pseudonym links rows that together single out people.
PSEUDONYM_SINGLES_OUT = Code {
    code: "IC127",
    name: "pseudonym-singles-out",
    severity: Severity::Danger,
    summary: "Fewer than k pseudonyms have the same rows.",
    explanation: "\
The promise of k-anonymity is about one row of a person. A pseudonym links all rows that have it. The message gives the \
number of pseudonyms whose rows, taken together, no other pseudonym has, and how many share the same rows at least.

The promise of k does not hold against an attacker who knows several rows of a person, for example places of residence \
over time: the pseudonym that has these rows leads to the other rows of that person.

Remove the column instead of publishing pseudonyms, publish one row per person, or keep the quasi-identifiers of a person \
the same in all rows. The release was made because the column was named with --keep-identifying.",
};

/// A column looks like a direct identifier.
LOOKS_LIKE_IDENTIFIER = Code {
    code: "IC201",
    name: "looks-like-identifier",
    severity: Severity::Danger,
    summary: "A column looks like a direct identifier.",
    explanation: "\
The name of the column or the form of its values suggests that it identifies people directly: a name, an e-mail \
address, an insurance or customer number.

k-anonymity does not protect a person who is identified directly. Columns that are declared as identifiers are removed \
from every release.

Declare it with `--identifier`. If it shows which rows belong to the same person, declare it with `--subject` instead: \
it is then used to count people, and is removed as well.",
};

/// The role of a column is a guess.
ROLE_UNSURE = Code {
    code: "IC202",
    name: "role-unsure",
    severity: Severity::Warning,
    summary: "The role of a column was guessed and should be confirmed.",
    explanation: "\
Whether a column is a quasi-identifier depends on what outsiders know, and no program can infer that from the values.

A quasi-identifier that is treated as insensitive exposes people although all figures look good; an insensitive \
column that is treated as a quasi-identifier costs detail.

Ask who could know a person's value in this column or where it could be found: neighbours, colleagues, a register, \
social media. Then declare it with \
`--qi`, `--sensitive` or `--identifier`.",
};

/// Dates can be read in two ways.
AMBIGUOUS_DATES = Code {
    code: "IC203",
    name: "ambiguous-dates",
    severity: Severity::Warning,
    summary: "The dates of a column can be read with the day first or with the month first.",
    explanation: "\
Every date of the column is valid both as day/month and as month/day. incrowd does not guess the order, so the column \
was read as text.

Text cannot be generalized to months or years, and a wrong guess would put dates into the wrong months.

Give the format of the column with `--date-format`, or write the dates as YYYY-MM-DD.",
};

/// A column has a single value.
CONSTANT_COLUMN = Code {
    code: "IC204",
    name: "constant-column",
    severity: Severity::Note,
    summary: "A column has the same value in every row.",
    explanation: "\
The column does not distinguish rows, so it adds nothing to the risk measured inside the table.

It may still reveal something about everyone in the table (for example, that all of them are patients of one clinic), \
and k-anonymity does not hide that.

Remove it if it is not needed.",
};

/// Numbers with a decimal comma were read as text.
DECIMAL_COMMAS = Code {
    code: "IC205",
    name: "decimal-commas",
    severity: Severity::Warning,
    summary: "A column holds numbers with a decimal comma, which were read as text.",
    explanation: "\
All values of the column are numbers such as 70,5 or 1.234,50. incrowd does not guess the decimal mark, because 1.234 \
is 1234 in one country and 1.234 in another, so the column was read as text.

Text cannot be generalized to intervals: a release would keep or suppress its values as a whole.

Name the column with `--decimal-comma`. A CSV release writes its numbers with a comma again, without thousands \
separators; with `--output-dialect standard` and in other formats they have a point.",
};

/// Texts of a column may mean that the value is missing.
LOOKS_LIKE_MISSING = Code {
    code: "IC206",
    name: "looks-like-missing",
    severity: Severity::Warning,
    summary: "A column contains texts or numbers that often mean a missing value.",
    explanation: "\
Exports write missing values as NA, n/a, ?, -99 and the like. incrowd reads such a cell as a value unless it is \
declared, because it may be one.

As a value it makes a column of numbers text, which cannot be generalized to intervals, or stretches its intervals \
to -99; and people whose value is missing look as if they had something in common.

Declare each text that means a missing value with `--null`.",
};

/// A sheet of a workbook holds, or hides, what a reader of the table may not expect.
WORKBOOK = Code {
    code: "IC207",
    name: "workbook",
    severity: Severity::Warning,
    summary: "A workbook has hidden sheets, formulas, errors or empty rows.",
    explanation: "\
A sheet shows less than it holds. Only one sheet is read, and of formulas the results that were stored when the \
workbook was last saved; a cell with an error is read as a text such as #N/A; empty rows between others are left out. \
Hidden rows and columns are read like all others.

The release holds nothing of the workbook but the rows of the table.

Check that the right sheet was read. If results may be out of date, open the workbook in a spreadsheet program and save \
it. Declare errors as missing values with `--null`.",
};

/// The file of a statistics package was read by its labels or has values that it declares missing.
LABELS = Code {
    code: "IC208",
    name: "labels",
    severity: Severity::Note,
    summary: "A file of a statistics package declares values missing, or has labels for some values of a column only.",
    explanation: "\
Values that the file declares missing (such as 99 for “refused”) are read as missing.

A column in which every value has a label is read by its labels. Where some values have none, the column is read as \
numbers, and its labels are not published.

Check that values with a label in such a column are no special values that should count as missing, and declare them \
with `--null` if they are.",
};

/// An identifier has repeated values, and rows were counted.
IDENTIFIER_REPEATS = Code {
    code: "IC210",
    name: "identifier-repeats",
    severity: Severity::Danger,
    summary: "An identifier has repeated values, so several of the counted rows may belong to one person.",
    explanation: "\
Each value of this column appears to identify one person, and some values occur in several rows. Without a subject \
column, rows are counted: a class of five rows may then be one person, and every figure about people may be too \
optimistic.

A column counts as such an identifier if its name suggests a number given to each person, if its values are e-mail \
addresses or social security numbers, or if it was declared an identifier, unless the column name suggests something \
that different people can share: a part of a person's name, a part of an address, or a survey weight. Missing values do not count, and neither do a \
few values that many rows share.

Name the column with --subject, so that people are counted; it is not published. If each row is nevertheless a \
different person, declare this with --rows-are-people.",
};

/// One value is spelled in several ways.
SEVERAL_SPELLINGS = Code {
    code: "IC215",
    name: "spelled-differently",
    severity: Severity::Warning,
    summary: "Some values of a column differ only in letter case, spaces or Unicode normalization.",
    explanation: "\
`HIV`, `hiv` and `HIV ` are three values to a program and one to a reader. The same holds for an é written as one \
character or as two.

In a sensitive column, each spelling counts as a separate value, so a class looks more diverse than it is. In a \
quasi-identifier, each spelling forms separate classes, so a release loses more detail than necessary.

Correct the table, or let `anonymize` merge the spellings with `--fold-spellings COLUMN`. A rule on a sensitive column \
is refused until the spellings are corrected, merged, or declared as different values with `--keep-spellings COLUMN`. Other misspellings are not detected.",
};

/// Columns were not assessed because they are not published.
REMOVED_BY_PLAN = Code {
    code: "IC216",
    name: "left-out-by-plan",
    severity: Severity::Note,
    summary: "Columns that the plan removes were not assessed.",
    explanation: "\
The plan says `others = \"remove\"`: columns that it does not name are not published. They are not in the release, so \
no figure covers them.

The table itself still contains them. Anyone who gets the table instead of the release sees them.

Give a column an entry in the plan if it is to be published.",
};

/// A person has, or seems to have, several rows.
SEVERAL_ROWS_PER_PERSON = Code {
    code: "IC301",
    name: "several-rows-per-person",
    severity: Severity::Warning,
    summary: "The table has several rows per person, so rows must not be counted as people.",
    explanation: "\
Five rows of one person are one person. If rows are counted, a class that consists of these five rows seems to contain \
five people.

With a subject column, incrowd counts people: the size of a class is the number of different people in it.

Use `--subject` to name the column that identifies people. It is not published.",
};

/// The table is small.
FEW_ROWS = Code {
    code: "IC302",
    name: "few-rows",
    severity: Severity::Note,
    summary: "The table has few rows for the requested k.",
    explanation: "\
A k-anonymous release of n rows can have at most n/k classes. With few rows there are few classes, so every method \
loses much detail.

Figures for small tables also change a lot when a single row is added or removed.

Consider a smaller k, fewer quasi-identifiers, or publishing totals instead of rows.",
};

/// Column sets were not searched because of the memory limit.
SETS_NOT_SEARCHED = Code {
    code: "IC303",
    name: "sets-not-searched",
    severity: Severity::Warning,
    summary: "Column sets were not searched, because that needs more memory than was allowed.",
    explanation: "\
The classes of all quasi-identifiers together, and of each column alone, were counted. Sets of several columns were \
not searched: the search needs several copies of all distinct tuples in memory.

There may be dangerous column sets that are not listed. The figures that are given are not affected. The analysis of \
what classes reveal about the sensitive columns also needs the tuples. If the message says so, it was left out for the \
same reason.

Raise --memory, or search fewer columns, for example with `incrowd diagnose FILE --qi a,b,c --sets --k 5`.",
};

/// The search over column sets stopped at its effort limit.
SETS_PARTLY_SEARCHED = Code {
    code: "IC305",
    name: "sets-partly-searched",
    severity: Severity::Warning,
    summary: "The search over column sets stopped at its effort limit; some sets were not measured.",
    explanation: "\
The number of column sets grows much faster than the number of columns. The search measures single columns first, \
then pairs, then larger sets; within a size, sets of the columns with the most values come first. It stops after an \
amount of work that depends only on the table, not on the machine.

The message says how many sets of each size were not measured. None of these sets contains a set that is listed as \
dangerous. Larger sets were not measured either. Any set that was not measured may be dangerous although it is not \
listed. The figures \
for all quasi-identifiers together, and for every listed set, are exact.

To search further, name fewer quasi-identifiers, or search some of them with `incrowd diagnose TABLE --qi a,b,c \
--sets`.",
};

/// Quasi-identifiers that were not combined with others.
COLUMNS_NOT_COMBINED = Code {
    code: "IC306",
    name: "columns-not-combined",
    severity: Severity::Warning,
    summary: "The table has more quasi-identifiers than can be combined; some were measured only one by one.",
    explanation: "\
At most 128 columns are combined in the search over column sets, and fewer if they have many values. The columns with \
the most distinct values are combined. The others are measured one by one; sets of several columns that contain one of \
them are not searched. If one column of such a set is dangerous alone, the set is known to be dangerous without a \
search.

The figures for all quasi-identifiers together are exact: they are counted over every column.

To search the sets of other columns, name them: `incrowd diagnose TABLE --qi a,b,c --sets`.",
};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_declared_in_order_and_each_once() {
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
        assert!(CODES.iter().all(|code| matches!(code.code.as_bytes(), [b'I', b'C', b'1'..=b'3', _, _])));
        let mut names: Vec<&str> = CODES.iter().map(|code| code.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CODES.len());
    }

    #[test]
    fn a_code_explains_itself_in_several_paragraphs_of_whole_sentences() {
        for code in CODES {
            assert!(code.summary.ends_with('.') && code.summary.matches(". ").count() == 0, "{}", code.code);
            assert!(code.explanation.split("\n\n").count() >= 3 && code.explanation.ends_with('.'), "{}", code.code);
            assert!(code.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", code.code);
        }
    }

    #[test]
    fn a_code_is_found_by_its_code_and_by_its_name() {
        assert_eq!(find("ic101"), Some(&K_BELOW_THRESHOLD));
        assert_eq!(find("risky-set"), Some(&RISKY_SET));
        assert_eq!(find("IC999"), None);
    }
}
