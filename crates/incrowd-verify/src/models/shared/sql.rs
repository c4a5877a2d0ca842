//! SQL that models write their queries with.
//!
//! A query runs over a table named `release`. A class is what has equal cells in the columns of [`ClassColumns`].

/// The columns whose equal cells make a class. There may be none: then the whole table is one class.
pub(crate) struct ClassColumns<'a>(pub(crate) &'a [&'a str]);

impl ClassColumns<'_> {
    pub(crate) fn listed(&self) -> String {
        self.0.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ")
    }

    /// The columns in front of something else that is selected.
    pub(crate) fn listed_before(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!("{}, ", self.listed()) }
    }

    pub(crate) fn group_by(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!(" GROUP BY {}", self.listed()) }
    }
}

/// A query for classes with fewer than `least` distinct values, where the values of a group count as the first of
/// them. A missing value is a value, which COUNT(DISTINCT …) passes over.
pub(crate) fn fewer_distinct_values(
    quasi_identifiers: &[&str],
    sensitive: &str,
    groups: &[Vec<String>],
    least: u64,
) -> String {
    let (classes, attribute) = (ClassColumns(quasi_identifiers), identifier(sensitive));
    let mut value = attribute.clone();
    if !groups.is_empty() {
        let when =
            |group: &Vec<String>| format!("WHEN {attribute} IN ({}) THEN {}", literals(group), literal(&group[0]));
        value = format!("CASE {} ELSE {attribute} END", groups.iter().map(when).collect::<Vec<_>>().join(" "));
    }
    let missing = format!("MAX(CASE WHEN {attribute} IS NULL THEN 1 ELSE 0 END)");
    let found = format!("COUNT(DISTINCT {value}) + {missing}");
    let (listed, by_class) = (classes.listed_before(), classes.group_by());
    format!("SELECT {listed}{found} FROM \"release\"{by_class} HAVING {found} < {least}")
}

/// The rows of each class and value, and what they are compared with, as columns of a subquery.
///
/// All are floating-point numbers: whole numbers up to 2⁵³ stay exact, and products of larger ones are not cut off.
pub(crate) struct ValueCounts<'a> {
    classes: ClassColumns<'a>,
    /// What is distinguished, as SQL of a row of the release.
    told: String,
    /// The column of what is distinguished.
    pub(crate) value: String,
    /// The column of the rows of a class with the value.
    pub(crate) own: String,
    /// The column of the rows of the class.
    pub(crate) class: String,
    /// The column of the rows of the whole release with the value.
    pub(crate) whole: String,
    /// The column of all rows of the release.
    pub(crate) all: String,
    /// The column of the place of the value in the class, the most frequent first.
    pub(crate) place: String,
    /// The column of how many distinct values the class has.
    pub(crate) met: String,
}

impl<'a> ValueCounts<'a> {
    /// Every value of a sensitive attribute separately.
    pub(crate) fn of_values(quasi_identifiers: &'a [&'a str], sensitive: &str) -> Self {
        ValueCounts::of(quasi_identifiers, sensitive, identifier(sensitive))
    }

    /// What an expression makes of the values.
    pub(crate) fn of(quasi_identifiers: &'a [&'a str], sensitive: &str, told: String) -> Self {
        let taken: Vec<&str> = quasi_identifiers.iter().copied().chain([sensitive]).collect();
        let name = |wish: &str| identifier(&unused(wish, &taken));
        ValueCounts {
            classes: ClassColumns(quasi_identifiers),
            told,
            value: name("value_told"),
            own: name("rows_of_value"),
            class: name("rows_of_class"),
            whole: name("rows_of_value_in_all"),
            all: name("rows_in_all"),
            place: name("place_of_value"),
            met: name("values_of_class"),
        }
    }

    /// The subquery; of the columns that compare, only those that are named.
    pub(crate) fn rows(&self, columns: &[&str]) -> String {
        let ValueCounts { told, value, own, .. } = self;
        let listed = self.classes.listed_before();
        let class =
            if self.classes.0.is_empty() { String::new() } else { format!("PARTITION BY {} ", self.classes.listed()) };
        let over = |column: &&str| {
            let what = match *column {
                column if column == self.class => format!("SUM({own}) OVER ({class})"),
                column if column == self.whole => format!("SUM({own}) OVER (PARTITION BY {value})"),
                column if column == self.all => format!("SUM({own}) OVER ()"),
                column if column == self.place => format!("ROW_NUMBER() OVER ({class}ORDER BY {own} DESC)"),
                _ => format!("COUNT(*) OVER ({class})"),
            };
            format!(", {what} AS {column}")
        };
        let compared: String = columns.iter().map(over).collect();
        format!(
            "(SELECT {listed}{value}, {own}{compared} FROM (SELECT {listed}{value}, CAST(COUNT(*) AS DOUBLE PRECISION) AS \
             {own} FROM (SELECT {listed}{told} AS {value} FROM \"release\") AS told GROUP BY {listed}{value}) AS counted) AS \
             weighed"
        )
    }

    pub(crate) fn listed_before(&self) -> String {
        self.classes.listed_before()
    }

    pub(crate) fn by_class(&self) -> String {
        self.classes.group_by()
    }
}

/// A column name as SQL writes it.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as SQL writes it.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A list of texts as SQL writes it.
pub(crate) fn literals(texts: &[String]) -> String {
    texts.iter().map(|text| literal(text)).collect::<Vec<_>>().join(", ")
}

/// A name like `wish` that is none of the `taken` ones; engines differ in whether case tells names apart.
pub(crate) fn unused(wish: &str, taken: &[&str]) -> String {
    let mut name = wish.to_string();
    while taken.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    name
}
