//! What a diagnosis or an attack found, as plain data, and the stable codes of findings.

mod code;
pub mod codes;
mod diagnosis;
mod outcome;

pub use codes::{CODES, Code, Severity};
pub use diagnosis::{AttributeRisk, CurvePoint, Diagnosis, ExposedValue, Finding, NotSearched, SearchLimit, SetRisk};
pub use outcome::{Evidence, Figure, Outcome, wilson};
