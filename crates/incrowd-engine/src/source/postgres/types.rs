//! How PostgreSQL's types become Arrow's, without loss.
//!
//! | PostgreSQL | Arrow | on the wire |
//! | --- | --- | --- |
//! | boolean, smallint, integer, bigint, real, double precision | the same | binary |
//! | numeric(p, s), 0 ≤ s ≤ p ≤ 38 | Decimal128(p, s) | binary |
//! | numeric otherwise | text, as the server writes it | text |
//! | text, varchar, name, enums | text | binary, which is the text |
//! | char(n) | text without the padding, which means nothing in SQL | text |
//! | date, time, timestamp, timestamptz | Date32, Time64(µs), Timestamp(µs), Timestamp(µs, UTC) | binary |
//! | bytea | Binary, which cannot be grouped, as in a file | binary |
//! | everything else: uuid, json, inet, arrays, intervals, … | text, as the server writes it | text |

use arrow::datatypes::{DataType, TimeUnit};
use tokio_postgres::types::{Kind, Type};

use crate::source::postgres::names::quoted;

/// A column of a table in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseColumn {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    /// The server writes it as text.
    as_text: bool,
}

impl DatabaseColumn {
    pub(crate) fn new(name: &str, of: &Type, modifier: i32) -> DatabaseColumn {
        let (data_type, as_text) = match *of {
            Type::BOOL => (DataType::Boolean, false),
            Type::INT2 => (DataType::Int16, false),
            Type::INT4 => (DataType::Int32, false),
            Type::INT8 => (DataType::Int64, false),
            Type::FLOAT4 => (DataType::Float32, false),
            Type::FLOAT8 => (DataType::Float64, false),
            Type::NUMERIC => match decimal(modifier) {
                Some((precision, scale)) => (DataType::Decimal128(precision, scale), false),
                None => (DataType::Utf8, true),
            },
            Type::TEXT | Type::VARCHAR | Type::NAME => (DataType::Utf8, false),
            Type::DATE => (DataType::Date32, false),
            Type::TIME => (DataType::Time64(TimeUnit::Microsecond), false),
            Type::TIMESTAMP => (DataType::Timestamp(TimeUnit::Microsecond, None), false),
            Type::TIMESTAMPTZ => (DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), false),
            Type::BYTEA => (DataType::Binary, false),
            _ => (DataType::Utf8, !matches!(of.kind(), Kind::Enum(_))),
        };
        DatabaseColumn { name: name.into(), data_type, as_text }
    }

    /// What is selected.
    pub(crate) fn expression(&self) -> String {
        let name = quoted(&self.name);
        if self.as_text { format!("{name}::pg_catalog.text") } else { name }
    }
}

/// Precision and scale of a numeric that fits into 38 digits.
fn decimal(modifier: i32) -> Option<(u8, i8)> {
    let packed = modifier.checked_sub(4).filter(|&packed| packed >= 0)?;
    let precision = u8::try_from(packed >> 16).ok().filter(|&precision| precision <= 38)?;
    // Eleven bits, of which the highest is the sign.
    let scale = i8::try_from(((packed & 0x7ff) ^ 1024) - 1024).ok()?;
    (0..=precision as i8).contains(&scale).then_some((precision, scale))
}

/// The type in which an Arrow column is published in a database.
pub(crate) fn sql_type(data_type: &DataType) -> String {
    match data_type {
        DataType::Boolean => "boolean".into(),
        DataType::Int16 => "smallint".into(),
        DataType::Int32 => "integer".into(),
        DataType::Int64 => "bigint".into(),
        DataType::Float32 => "real".into(),
        DataType::Float64 => "double precision".into(),
        DataType::Decimal128(precision, scale) => format!("numeric({precision}, {scale})"),
        DataType::Date32 => "date".into(),
        DataType::Time64(_) => "time".into(),
        DataType::Timestamp(_, None) => "timestamp".into(),
        DataType::Timestamp(_, Some(_)) => "timestamp with time zone".into(),
        _ => "text".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numeric_is_a_decimal_only_when_it_fits() {
        let modifier = |precision: i32, scale: i32| ((precision << 16) | (scale & 0x7ff)) + 4;
        assert_eq!(decimal(modifier(10, 2)), Some((10, 2)));
        assert_eq!(decimal(modifier(38, 0)), Some((38, 0)));
        assert_eq!(decimal(modifier(39, 2)), None);
        assert_eq!(decimal(modifier(3, -2)), None, "PostgreSQL 15 has negative scales");
        assert_eq!(decimal(modifier(2, 5)), None, "and scales beyond the precision");
        assert_eq!(decimal(-1), None, "no precision at all");
    }
}
