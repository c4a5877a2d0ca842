//! Settings that a remedy names, written as flags of the command line.

use incrowd::Setting;

/// The flag of a setting, with the value that is proposed for it.
pub(crate) fn flag(setting: &Setting) -> String {
    let name = match setting.name {
        "output" => "-o".to_string(),
        name => format!("--{}", name.replace('_', "-")),
    };
    match setting.value.as_deref() {
        None | Some("true") => name,
        Some("false") => name.replacen("--", "--no-", 1),
        // A shell would take it for a pattern.
        Some("*") => format!("{name} '*'"),
        Some(value) => format!("{name} {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_written_as_it_is_typed() {
        assert_eq!(flag(&Setting::named("memory")), "--memory");
        assert_eq!(flag(&Setting::with("input_format", "csv|parquet|arrow")), "--input-format csv|parquet|arrow");
        assert_eq!([flag(&Setting::on("header")), flag(&Setting::off("header"))], ["--header", "--no-header"]);
        assert_eq!(flag(&Setting::with("output", "DIR")), "-o DIR");
        assert_eq!(flag(&Setting::with("null", "*")), "--null '*'");
    }
}
