//! Names as SQL writes them: `schema.table`, with double quotes where letters are not small and plain.

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::error::Result;
use crate::runtime::remedy::DatabaseRemedy;

/// The most bytes of a name. PostgreSQL cuts longer ones off without refusing them.
const MOST_BYTES: usize = 63;

/// A table, perhaps in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableName {
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
}

impl TableName {
    /// Reads `table`, `schema.table` or `"Schema"."Table"`; names without quotes are folded to small letters.
    pub(crate) fn parse(text: &str) -> Result<TableName> {
        let wrong = || {
            let named = format!("postgres:{text}");
            DatabaseFault::new(&named, "not a valid table name", DatabaseRemedy::QuoteName)
        };
        let mut parts = parts(text.trim()).ok_or_else(wrong)?;
        let name = parts.pop().ok_or_else(wrong)?;
        let schema = parts.pop();
        if parts.is_empty() { Ok(TableName { schema, name }) } else { Err(wrong().into()) }
    }

    /// The name with something added, in the same schema; refused when PostgreSQL would cut it off.
    pub(crate) fn with(&self, ending: &str) -> Result<TableName> {
        let name = format!("{}{ending}", self.name);
        check_length(&self.to_string(), &name)?;
        Ok(TableName { schema: self.schema.clone(), name })
    }
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(schema) = &self.schema {
            write!(f, "{}.", quoted(schema))?;
        }
        f.write_str(&quoted(&self.name))
    }
}

/// Refuses a name that PostgreSQL would cut off.
pub(crate) fn check_length(named: &str, name: &str) -> Result<()> {
    if name.len() <= MOST_BYTES {
        return Ok(());
    }
    let fact = format!("“{name}” has more than {MOST_BYTES} bytes, which PostgreSQL would truncate");
    Err(DatabaseFault::new(named, fact, DatabaseRemedy::ShortenName).into())
}

/// A name in double quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The parts of a dotted name; nothing when quotes or dots are out of place.
fn parts(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut letters) = (Vec::new(), text.chars().peekable());
    loop {
        let mut part = String::new();
        if letters.next_if_eq(&'"').is_some() {
            loop {
                match letters.next()? {
                    '"' if letters.next_if_eq(&'"').is_some() => part.push('"'),
                    '"' => break,
                    '\0' => return None,
                    letter => part.push(letter),
                }
            }
        } else {
            let plain = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
            while let Some(letter) = letters.next_if(plain) {
                part.push(letter.to_ascii_lowercase());
            }
        }
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        match letters.next() {
            None => return Some(parts),
            Some('.') => {}
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sql_reads_them_and_written_so_that_nothing_ends_a_quote() {
        let read = |text: &str| TableName::parse(text).map(|name| name.to_string()).ok();
        assert_eq!(read("Public.Visits").as_deref(), Some("\"public\".\"visits\""));
        assert_eq!(read("\"We\"\"ird\".\"a.b; DROP\"").as_deref(), Some("\"We\"\"ird\".\"a.b; DROP\""));
        assert_eq!(read("größe").as_deref(), Some("\"größe\""));
        for wrong in ["", ".", "a.", ".a", "a.b.c", "\"a", "a b", "a;b", "\"\"", "\"a\"b"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert!(TableName::parse("a").and_then(|name| name.with(&"x".repeat(63))).is_err());
    }
}
