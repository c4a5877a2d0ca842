//! A sentence in which settings are named as data.

use std::borrow::Cow;

/// A setting of a run that a remedy names: by its name in a plan, with the value that it proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name, in small letters with `_` between words.
    pub name: &'static str,
    /// The value; nothing where the setting is named without one.
    pub value: Option<Cow<'static, str>>,
}

/// How a front end writes a setting.
pub type Spelling = fn(&Setting) -> String;

impl Setting {
    /// A setting without a value.
    pub fn named(name: &'static str) -> Self {
        Setting { name, value: None }
    }

    /// A setting with the value that is proposed for it.
    pub fn with(name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        Setting { name, value: Some(value.into()) }
    }

    /// A setting that is turned on.
    pub fn on(name: &'static str) -> Self {
        Setting::with(name, "true")
    }

    /// A setting that is turned off.
    pub fn off(name: &'static str) -> Self {
        Setting::with(name, "false")
    }

    /// The spelling of a plan, for callers that have no other.
    pub fn as_in_a_plan(&self) -> String {
        self.value.as_ref().map_or_else(|| self.name.into(), |value| format!("{} = {value}", self.name))
    }
}

/// One sentence about what to do. Empty when there is nothing to add to the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// `{}` stands for each of the settings.
    text: Cow<'static, str>,
    settings: Vec<Setting>,
}

impl Sentence {
    /// A sentence with a place, written `{}`, for each of these settings in their order.
    pub fn about(text: &'static str, settings: impl IntoIterator<Item = Setting>) -> Self {
        let settings: Vec<Setting> = settings.into_iter().collect();
        debug_assert_eq!(text.matches("{}").count(), settings.len(), "a place for each setting: {text}");
        Sentence { text: text.into(), settings }
    }

    /// A sentence that names no setting.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Self {
        Sentence { text: text.into(), settings: Vec::new() }
    }

    /// The sentence with its settings written as a front end writes them.
    pub fn written(&self, spelling: Spelling) -> String {
        // Without settings there is no place to fill: a name in the sentence may hold any letters.
        if self.settings.is_empty() {
            return self.text.clone().into_owned();
        }
        let mut settings = self.settings.iter();
        let mut parts = self.text.split("{}");
        let mut written = parts.next().unwrap_or_default().to_string();
        for part in parts {
            written += &settings.next().map(spelling).unwrap_or_default();
            written += part;
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled_in_order_and_a_name_with_braces_stays() {
        let said = Sentence::about("say {}, or raise {}", [Setting::with("threads", "1"), Setting::named("memory")]);
        assert_eq!(said.written(Setting::as_in_a_plan), "say threads = 1, or raise memory");
        let column = Sentence::plain(format!("did you mean “{}”?", "a{}b"));
        assert_eq!(column.written(Setting::as_in_a_plan), "did you mean “a{}b”?");
    }
}
