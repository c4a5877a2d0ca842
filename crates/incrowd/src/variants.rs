//! That one value of a column is spelled in several ways: what an error or a finding says of it.

use incrowd_core::{Finding, codes, counted};

/// Several spellings of one value in a column. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variants {
    /// The column.
    pub column: String,
    /// How many of its values are spellings of a value that has several.
    pub spelled: u64,
    /// How many values these are to a reader.
    pub values: u64,
}

impl Variants {
    /// The fact in one sentence, without its full stop.
    pub fn fact(&self) -> String {
        format!(
            "column `{}`: {} differ only in letter case, spaces or Unicode form, and are {} to a reader",
            self.column,
            counted(self.spelled, "value", "values"),
            counted(self.values, "value", "values")
        )
    }

    /// The finding about it.
    pub fn finding(&self) -> Finding {
        Finding::new(&codes::SEVERAL_SPELLINGS, self.fact()).about([&self.column])
    }
}
