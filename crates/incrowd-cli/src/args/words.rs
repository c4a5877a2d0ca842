//! How single words of the command line are read.

pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() => Ok(*byte),
            _ => Err("a delimiter is one character, or `tab`".into()),
        },
    }
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (column, format) = text.split_once('=').ok_or("write COLUMN=FORMAT")?;
    Ok((column.into(), format.into()))
}

pub(crate) fn crowd(text: &str) -> Result<u64, String> {
    let least = "a crowd is a whole number of at least 1";
    text.parse().ok().filter(|&k| k > 0).ok_or_else(|| least.into())
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "a share is a number such as 0.02")?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share is between 0 and 1".into()) }
}

pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err("a size is a number with a unit, such as 4GiB or 500MB".into()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| "a size is a number with a unit, such as 4GiB")?;
    let bytes = (number * unit as f64) as u64;
    if bytes < 16 << 20 { Err("at least 16MiB are needed".into()) } else { Ok(bytes) }
}
