//! Recognizes what the values of a column are written like: e-mail addresses, dates, postcodes.
//!
//! Only a sample of the distinct values is inspected, and only their form; no value leaves this file.

use std::net::IpAddr;

use incrowd_core::{Dictionary, Values};

/// A form nearly all values of a column share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePattern {
    /// `someone@example.org`
    Email,
    /// Eight, four, four, four and twelve hexadecimal digits.
    Uuid,
    /// An IPv4 or IPv6 address, or a hardware address.
    NetworkAddress,
    /// An IBAN with right check digits.
    Iban,
    /// Three, two and four digits with hyphens, as a US social security number.
    SocialSecurityNumber,
    /// A telephone number with its signs.
    Phone,
    /// An address on the web.
    Url,
    /// Long texts with several words.
    Prose,
    /// A day written with numbers in an unknown order: `03.04.1980`.
    DayInUnknownOrder,
    /// A day with a time of day.
    Moment,
    /// Digits of equal length with leading zeros, or letters and digits as British, Dutch and Canadian postcodes.
    Postcode,
    /// A letter and two digits, perhaps a point and more: ICD-10.
    IcdCode,
}

impl ValuePattern {
    /// The plural in which a reason speaks of the values.
    pub(super) fn plural(self) -> &'static str {
        match self {
            ValuePattern::Email => "e-mail addresses",
            ValuePattern::Uuid => "universally unique identifiers",
            ValuePattern::NetworkAddress => "network addresses",
            ValuePattern::Iban => "bank account numbers (IBAN)",
            ValuePattern::SocialSecurityNumber => "social security numbers",
            ValuePattern::Phone => "telephone numbers",
            ValuePattern::Url => "web addresses",
            ValuePattern::Prose => "free text",
            ValuePattern::DayInUnknownOrder => "dates that do not start with the year",
            ValuePattern::Moment => "dates with a time of day",
            ValuePattern::Postcode => "postcodes",
            ValuePattern::IcdCode => "ICD codes of diseases",
        }
    }
}

/// Whether a value has a form.
type ValueForm = fn(&str) -> bool;

/// In the order in which they are tried: the stricter form first.
const FORMS: [(ValuePattern, ValueForm); 12] = [
    (ValuePattern::Email, is_email),
    (ValuePattern::Uuid, is_uuid),
    (ValuePattern::NetworkAddress, is_network_address),
    (ValuePattern::Iban, is_iban),
    (ValuePattern::SocialSecurityNumber, is_social_security_number),
    (ValuePattern::Url, is_url),
    (ValuePattern::DayInUnknownOrder, is_day_in_unknown_order),
    (ValuePattern::Moment, is_moment),
    (ValuePattern::Phone, is_phone),
    (ValuePattern::Postcode, is_postcode),
    (ValuePattern::IcdCode, is_icd_code),
    (ValuePattern::Prose, is_prose),
];

/// How many values are inspected, evenly spread over the sorted values.
pub(super) const SAMPLE: usize = 1_000;

/// The form that at least nine in ten of the values share.
pub(super) fn pattern(dictionary: &Dictionary) -> Option<ValuePattern> {
    let Values::Texts(texts) = dictionary.values() else { return None };
    let step = texts.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<&str> = texts.iter().step_by(step).map(|text| text.trim()).collect();
    let share = |form: ValueForm| sample.iter().filter(|text| form(text)).count() as f64 / sample.len() as f64;
    let (pattern, _) = FORMS.into_iter().find(|&(_, form)| !sample.is_empty() && share(form) >= 0.9)?;
    // A few equal codes could be anything: these two forms are believed only when the values vary as they would.
    let believable = match pattern {
        ValuePattern::Postcode => sample.len() >= 5 && (has_letters(&sample) || same_length(&sample)),
        ValuePattern::IcdCode => sample.len() >= 5 && sample.iter().any(|text| text.contains('.')),
        _ => true,
    };
    believable.then_some(pattern)
}

fn has_letters(sample: &[&str]) -> bool {
    sample.iter().any(|text| text.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

fn same_length(sample: &[&str]) -> bool {
    sample.windows(2).all(|pair| pair[0].len() == pair[1].len())
}

fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.split_once('@') else { return false };
    let host_is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte) || byte > 127);
    !local.is_empty()
        && !local.contains(' ')
        && host_is_plain
        && host.split('.').filter(|part| !part.is_empty()).count() > 1
}

fn is_uuid(text: &str) -> bool {
    let text = text.trim_start_matches('{').trim_end_matches('}');
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn is_network_address(text: &str) -> bool {
    let hardware = |sign: char| text.len() == 17 && text.split(sign).count() == 6 && text.split(sign).all(is_hex_pair);
    text.parse::<IpAddr>().is_ok() || hardware(':') || hardware('-')
}

fn is_hex_pair(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_iban(text: &str) -> bool {
    let compact: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let well_formed = (15..=34).contains(&compact.len())
        && compact[..2].iter().all(u8::is_ascii_uppercase)
        && compact[2..4].iter().all(u8::is_ascii_digit)
        && compact.iter().all(u8::is_ascii_alphanumeric);
    // ISO 7064: the first four characters go to the end, letters count from 10, the whole leaves 1 modulo 97.
    let remainder = || {
        compact[4..].iter().chain(&compact[..4]).fold(0u32, |rest, byte| match byte {
            b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
            letter => (rest * 100 + u32::from(letter.to_ascii_uppercase() - b'A') + 10) % 97,
        })
    };
    well_formed && remainder() == 1
}

fn is_social_security_number(text: &str) -> bool {
    text.split('-').map(str::len).eq([3, 2, 4]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

fn is_url(text: &str) -> bool {
    ["http://", "https://", "www."].iter().any(|start| text.starts_with(start)) && !text.contains(' ')
}

/// Two short numbers and a year, or a year in between: what `2024-05-01` is not.
fn is_day_in_unknown_order(text: &str) -> bool {
    ['.', '/', '-'].into_iter().any(|sign| {
        let parts: Vec<&str> = text.split(sign).map(str::trim).collect();
        let is_part = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let small =
            |part: &str, limit: u32| part.len() <= 2 && part.parse::<u32>().is_ok_and(|n| (1..=limit).contains(&n));
        parts.len() == 3
            && parts.iter().all(is_part)
            && small(parts[0], 31)
            && small(parts[1], 31)
            && [2, 4].contains(&parts[2].len())
    })
}

fn is_moment(text: &str) -> bool {
    let Some((day, time)) = text.split_once(['T', ' ']) else { return false };
    let is_day = day.len() == 10 && day.split('-').map(str::len).eq([4, 2, 2]) || is_day_in_unknown_order(day);
    is_day && time.contains(':') && time.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}

fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-/(). ".contains(&byte));
    let groups = text.split(['-', '/', ' ', '(', ')']).filter(|group| !group.is_empty()).count();
    let starts = text.starts_with('+') || (text.starts_with(['0', '(']) && groups > 1);
    let american = text.split(['-', '.']).map(str::len).eq([3, 3, 4]);
    plain && (7..=15).contains(&digits) && (starts || american)
}

fn is_postcode(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let shape: String = text
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' => '9',
            b'A'..=b'Z' => 'A',
            _ => ' ',
        })
        .collect();
    let lettered = ["9999 AA", "A9A 9A9", "A9 9AA", "A99 9AA", "AA9 9AA", "AA99 9AA", "A9A 9AA", "AA9A 9AA"];
    (digits(text) && (4..=6).contains(&text.len())) || lettered.contains(&shape.as_str())
}

fn is_icd_code(text: &str) -> bool {
    let (category, rest) = text.split_once('.').unwrap_or((text, ""));
    let mut bytes = category.bytes();
    category.len() == 3
        && bytes.next().is_some_and(|byte| byte.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_digit())
        && rest.len() <= 4
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_prose(text: &str) -> bool {
    text.chars().nth(39).is_some() && text.split_whitespace().count() >= 5
}
