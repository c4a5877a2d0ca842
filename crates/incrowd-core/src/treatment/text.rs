//! A treatment as one text, in plans, on the command line and in manifests.

use std::fmt;
use std::str::FromStr;

use super::{Decimal, ItemTreatment, NoiseTreatment, NumberTreatment, TREATMENTS, Treatment};

/// A text that is no treatment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown treatment “{0}”: write one of {forms}", forms = forms())]
pub struct UnknownTreatment(pub String);

fn forms() -> String {
    TREATMENTS.iter().map(|entry| entry.form).collect::<Vec<_>>().join(", ")
}

/// The most characters that a mask publishes.
const MOST_MASKED: usize = 1000;

/// The most days that dates are moved by: a century.
const MOST_DAYS: u32 = 36_500;

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Treatment::Blank => f.write_str("blank"),
            Treatment::Mask { first } => write!(f, "mask:{first}"),
            Treatment::Pseudonym => f.write_str("pseudonym"),
            Treatment::PseudonymDigits => f.write_str("pseudonym-digits"),
            Treatment::Number(number) => number.fmt(f),
            Treatment::Bins { width } => write!(f, "bins:{width}"),
            Treatment::Shift { days } => write!(f, "shift:{days}"),
            Treatment::Microaggregate { k, base } => write!(f, "microaggregate:{k},round:{base}"),
            Treatment::Noise(noise) => noise.fmt(f),
            Treatment::Items(items) => items.fmt(f),
        }
    }
}

impl FromStr for Treatment {
    type Err = UnknownTreatment;

    fn from_str(text: &str) -> Result<Self, UnknownTreatment> {
        let unknown = || UnknownTreatment(text.into());
        let (word, parameter) = text.split_once(':').map_or((text, None), |(word, rest)| (word, Some(rest)));
        match (word, parameter) {
            ("blank", None) => Ok(Treatment::Blank),
            ("pseudonym", None) => Ok(Treatment::Pseudonym),
            ("pseudonym-digits", None) => Ok(Treatment::PseudonymDigits),
            ("mask", Some(first)) => {
                let first: usize = first.parse().map_err(|_| unknown())?;
                if first > MOST_MASKED { Err(unknown()) } else { Ok(Treatment::Mask { first }) }
            }
            ("bins", Some(width)) => {
                let width = Decimal::parse(width).filter(|width| width.is_positive()).ok_or_else(unknown)?;
                Ok(Treatment::Bins { width })
            }
            ("shift", Some(days)) => {
                let days: u32 = days.parse().map_err(|_| unknown())?;
                if (1..=MOST_DAYS).contains(&days) { Ok(Treatment::Shift { days }) } else { Err(unknown()) }
            }
            ("microaggregate", Some(parameters)) => {
                let (k, base) = parameters.split_once(",round:").ok_or_else(unknown)?;
                let k = k.parse().ok().filter(|&k| k >= 2).ok_or_else(unknown)?;
                let base = Decimal::parse(base).filter(|base| base.is_positive()).ok_or_else(unknown)?;
                Ok(Treatment::Microaggregate { k, base })
            }
            ("items", Some(parameters)) => ItemTreatment::parse(parameters).map(Treatment::Items).ok_or_else(unknown),
            ("laplace" | "normal", _) => NoiseTreatment::parse(text).map(Treatment::Noise).ok_or_else(unknown),
            _ => NumberTreatment::parse(text).map(Treatment::Number).ok_or_else(unknown),
        }
    }
}

impl TryFrom<String> for Treatment {
    type Error = UnknownTreatment;

    fn try_from(text: String) -> Result<Self, UnknownTreatment> {
        text.parse()
    }
}

impl From<Treatment> for String {
    fn from(treatment: Treatment) -> String {
        treatment.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_treatment_is_written_as_it_is_read() {
        for text in [
            "blank",
            "pseudonym",
            "mask:0",
            "mask:3",
            "round:0.5",
            "top:90",
            "bottom:-1.5",
            "bins:10",
            "shift:30",
            "microaggregate:5,round:0.5",
            "random-round:5",
            "laplace:1.5,round:0.5",
            "normal:20,round:10",
            "pseudonym-digits",
            "items:5,known:2,split:;",
            "items:5,known:1,split:,",
            "items:3,known:5,split: ",
        ] {
            let treatment: Treatment = text.parse().expect(text);
            assert_eq!(treatment.to_string(), text);
            assert_eq!(treatment.entry().form.split(':').next(), text.split(':').next());
        }
    }

    #[test]
    fn what_is_no_treatment_is_refused_with_the_list() {
        for text in [
            "",
            "hash",
            "mask",
            "mask:",
            "mask:-1",
            "mask:1001",
            "blank:1",
            "pseudonym:x",
            "Blank",
            "round:0",
            "round:-1",
            "bins:0",
            "top:",
            "top:1,top:2",
            "round",
            "shift",
            "shift:0",
            "shift:1.5",
            "shift:36501",
            "microaggregate:5",
            "microaggregate:1,round:1",
            "microaggregate:5,round:0",
            "random-round:0",
            "round:1,random-round:1",
            "laplace:1",
            "items:5",
            "items:1,known:2,split:;",
            "items:5,known:6,split:;",
            "items:5,known:2,split:",
            "items:5,known:2,split:ab",
            "items:5,known:2,split:;;",
            "items:5,known:2,split:*",
        ] {
            let error = text.parse::<Treatment>().expect_err(text);
            assert!(error.to_string().contains("mask:N"), "{error}");
        }
    }
}
