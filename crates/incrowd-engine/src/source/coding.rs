//! Which columns can be grouped, and how their values are distinguished.

use arrow::datatypes::DataType;

use crate::runtime::error::{EngineError, Result};
use crate::source::zones;

/// How the values of a column are distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// By their text.
    Text,
    /// By 64 bits: integers, days, instants.
    Whole,
    /// By the bits of a canonical single float.
    Single,
    /// By the bits of a canonical double float.
    Double,
}

impl Coding {
    /// How a column of this type is coded; nothing for types that cannot be grouped.
    pub(crate) fn of(data_type: &DataType) -> Option<Coding> {
        match data_type {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean | DataType::Null => {
                Some(Coding::Text)
            }
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Some(Coding::Whole),
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Some(Coding::Whole),
            DataType::Date32 | DataType::Date64 => Some(Coding::Whole),
            DataType::Timestamp(..) => zones::is_known(data_type).then_some(Coding::Whole),
            DataType::Float16 | DataType::Float32 => Some(Coding::Single),
            DataType::Float64 => Some(Coding::Double),
            DataType::UInt64 | DataType::Time32(_) | DataType::Time64(_) => Some(Coding::Text),
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
                Some(Coding::Text)
            }
            DataType::Dictionary(_, values) => Coding::of(values),
            _ => None,
        }
    }

    /// As [`Coding::of`], or the refusal that names the column.
    pub(crate) fn of_column(column: &str, data_type: &DataType) -> Result<Coding> {
        Coding::of(data_type)
            .ok_or_else(|| EngineError::UnsupportedType { column: column.into(), kind: data_type.to_string() })
    }

    /// The bits of a fixed-width number that is written like this.
    pub(crate) fn bits_of(&self, text: &str) -> Option<u64> {
        match self {
            Coding::Text => None,
            Coding::Whole => text.parse::<i64>().ok().map(|number| number as u64),
            Coding::Single => text.parse::<f32>().ok().map(|number| u64::from((number + 0.0).to_bits())),
            Coding::Double => text.parse::<f64>().ok().map(|number| (number + 0.0).to_bits()),
        }
    }

    /// The type the values are brought to before they are coded.
    pub(crate) fn arrow_type(&self, from: &DataType) -> DataType {
        match (self, from) {
            (Coding::Text, DataType::Utf8View | DataType::LargeUtf8) => from.clone(),
            (Coding::Text, _) => DataType::Utf8,
            (Coding::Whole, DataType::Date32) => DataType::Int32,
            (Coding::Whole, _) => DataType::Int64,
            (Coding::Single, _) => DataType::Float32,
            (Coding::Double, _) => DataType::Float64,
        }
    }
}
