//! The explanation of a finding or a refusal by its code or name.

use incrowd_core::{CODES, Code};

use crate::refusals::REFUSALS;

/// The finding or refusal with this code or name, in any case.
pub fn explain(code_or_name: &str) -> Option<&'static Code> {
    let same = |text: &str| text.eq_ignore_ascii_case(code_or_name);
    CODES.iter().copied().chain(REFUSALS).find(|code| same(code.code) || same(code.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_never_used_twice() {
        let all: Vec<&Code> = CODES.iter().copied().chain(REFUSALS).collect();
        for (index, code) in all.iter().enumerate() {
            let twice = all[..index].iter().any(|other| other.code == code.code || other.name == code.name);
            assert!(!twice, "{} is used twice", code.code);
        }
    }

    #[test]
    fn every_code_an_error_can_carry_is_explained() {
        let engine = (401..=417).chain(421..=427).map(|number| format!("IC{number}"));
        let asked = (501..=508).chain(520..=521).chain(525..=526).chain(530..=533).chain([540, 545]).chain(550..=552);
        let library = asked.chain(601..=606).chain([610, 613]).chain(615..=619).map(|number| format!("IC{number}"));
        engine.chain(library).for_each(|code| assert!(explain(&code).is_some(), "{code}"));
    }
}
