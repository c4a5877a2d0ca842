//! A changed plan is written into the text of its file, so that comments and formatting stay where they are.
//!
//! A key whose value did not change is not touched, nor is one that says the default. A comment beside a changed value
//! stays, except beside a role, where it is the reason of the guess. Entries of several columns are split when the
//! columns came to differ; the order of the columns stays.

use toml::Value;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table};

use super::Plan;

/// The text of a plan file, changed so that it says what the plan says.
///
/// ```
/// use incrowd::request::{Plan, rewrite};
/// let text = "version = 1\n[source]\npath = \"a.csv\"\n[policy]\n# Asked for by the review board.\nk = 5  # people\n";
/// let mut plan = Plan::parse(text)?;
/// plan.policy.k = Some(7);
/// assert_eq!(rewrite(text, &plan)?, text.replace("k = 5", "k = 7"));
/// # Ok::<(), String>(())
/// ```
pub fn rewrite(text: &str, plan: &Plan) -> Result<String, String> {
    let before = Plan::parse(text)?;
    let (said, wanted) = (values(&before.to_toml()?)?, values(&plan.to_toml()?)?);
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    merge(document.as_table_mut(), &said, &wanted);
    let rewritten = document.to_string();
    // What is written must be read as what was meant.
    match Plan::parse(&rewritten) {
        Ok(read) if read.to_toml() == plan.to_toml() => Ok(rewritten),
        _ => plan.to_toml(),
    }
}

fn values(text: &str) -> Result<toml::Table, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// Changes the keys of a table from what is said to what is wanted.
fn merge(table: &mut Table, said: &toml::Table, wanted: &toml::Table) {
    let nothing = toml::Table::new();
    for (key, value) in wanted {
        match (value, table.get_mut(key)) {
            (Value::Array(entries), _) if key == "column" => columns(table, entries),
            (Value::Array(entries), _) if entries.iter().any(Value::is_table) => {
                let before = said.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
                let mut list = match table.remove(key) {
                    Some(Item::ArrayOfTables(list)) => list,
                    _ => ArrayOfTables::new(),
                };
                list_of_tables(&mut list, &before, entries);
                table.insert(key, Item::ArrayOfTables(list));
            }
            (Value::Table(inner), Some(Item::Table(present))) => {
                let before = said.get(key).and_then(Value::as_table).unwrap_or(&nothing);
                merge(present, before, inner);
            }
            (Value::Table(inner), None) if is_section(key) => {
                let mut section = Table::new();
                merge(&mut section, &nothing, inner);
                table.insert(key, Item::Table(section));
            }
            (_, present) if present.is_some() && said.get(key).is_some_and(|said| is_same(said, value)) => {}
            (_, _) => set(table, key, value),
        }
    }
    for key in said.keys().filter(|key| !wanted.contains_key(*key)) {
        if key == "confirmed" {
            set(table, key, &Value::Boolean(true));
        } else {
            table.remove(key);
        }
    }
}

/// Whether two values say the same; 5 and 5.0 do.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(whole), Value::Float(number)) | (Value::Float(number), Value::Integer(whole)) => {
            whole.to_string().parse() == Ok(*number)
        }
        (Value::Array(some), Value::Array(others)) => {
            some.len() == others.len() && some.iter().zip(others).all(|(one, other)| is_same(one, other))
        }
        (Value::Table(some), Value::Table(others)) => {
            let same = |(key, one): (&String, &Value)| others.get(key).is_some_and(|other| is_same(one, other));
            some.len() == others.len() && some.iter().all(same)
        }
        _ => one == other,
    }
}

/// Whether a table of this name is a section of a plan; others are written in one line.
fn is_section(key: &str) -> bool {
    matches!(key, "source" | "policy" | "population" | "solve" | "release" | "context" | "run")
}

/// Sets a key; what stands around its value stays.
fn set(table: &mut Table, key: &str, value: &Value) {
    let Some(mut new) = item(value) else { return };
    if let (Some(Item::Value(old)), Item::Value(new)) = (table.get(key), &mut new)
        && key != "role"
    {
        *new.decor_mut() = old.decor().clone();
    }
    match table.get_mut(key) {
        Some(old) => *old = new,
        None => {
            table.insert(key, new);
        }
    }
}

/// A value as it is written in one line.
fn item(value: &Value) -> Option<Item> {
    let text = format!("x = {value}\n");
    let mut parsed: DocumentMut = text.parse().ok()?;
    let mut item = parsed.remove("x")?;
    if let Item::Value(value) = &mut item {
        value.decor_mut().clear();
    }
    Some(item)
}

/// Entries such as those of `[[policy.rule]]`, by their place.
fn list_of_tables(list: &mut ArrayOfTables, said: &[Value], wanted: &[Value]) {
    let nothing = toml::Table::new();
    for (at, entry) in wanted.iter().enumerate() {
        let Some(entry) = entry.as_table() else { continue };
        if list.get(at).is_none() {
            list.push(Table::new());
        }
        let before = said.get(at).and_then(Value::as_table).unwrap_or(&nothing);
        if let Some(table) = list.get_mut(at) {
            merge(table, before, entry);
        }
    }
    while list.len() > wanted.len() {
        list.remove(wanted.len());
    }
}

/// The entries of columns: each keeps its place; of an entry of several columns those that differ get their own.
fn columns(table: &mut Table, wanted: &[Value]) {
    let old = match table.remove("column") {
        Some(Item::ArrayOfTables(old)) => old,
        _ => ArrayOfTables::new(),
    };
    let mut left: Vec<toml::Table> = wanted.iter().filter_map(Value::as_table).cloned().collect();
    let mut list = ArrayOfTables::new();
    for entry in old {
        let mut members: Vec<toml::Table> = Vec::new();
        for name in names(&entry) {
            let found = left.iter().position(|column| column.get("name").and_then(Value::as_str) == Some(&name));
            members.extend(found.map(|at| left.remove(at)));
        }
        for alike in members.chunk_by(|a, b| nameless(a) == nameless(b)) {
            list.push(entry_of(entry.clone(), alike));
        }
    }
    for column in left {
        list.push(entry_of(Table::new(), &[column]));
    }
    table.insert("column", Item::ArrayOfTables(list));
}

/// The entry changed to say what these columns, which differ in their names alone, have in common.
fn entry_of(mut entry: Table, alike: &[toml::Table]) -> Table {
    let mut said = toml::Table::new();
    for (key, item) in entry.iter() {
        let text = format!("x = {}", item.to_string().trim());
        let value = toml::from_str::<toml::Table>(&text).ok().and_then(|mut table| table.remove("x"));
        said.extend(value.map(|value| (key.to_owned(), value)));
    }
    // What is said by default may be said.
    said.retain(|key, value| !(key == "confirmed" && value.as_bool() == Some(true)));
    said.retain(|key, _| key != "name" && key != "names");
    let Some(first) = alike.first() else { return entry };
    let named: Vec<&str> = alike.iter().filter_map(|column| column.get("name").and_then(Value::as_str)).collect();
    let before = names(&entry);
    if before != named {
        match named[..] {
            [one] => {
                entry.remove("names");
                let others = std::mem::take(&mut entry);
                entry.decor_mut().clone_from(others.decor());
                entry.insert("name", toml_edit::value(one));
                for (key, value) in others {
                    entry.insert(&key, value);
                }
                entry.insert("name", toml_edit::value(one));
            }
            _ => {
                entry.insert("names", toml_edit::value(named.into_iter().collect::<Array>()));
            }
        }
    }
    merge(&mut entry, &said, &nameless(first));
    entry
}

fn nameless(column: &toml::Table) -> toml::Table {
    column
        .iter()
        .filter(|(key, _)| *key != "name" && *key != "names")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The columns of an entry.
fn names(entry: &Table) -> Vec<String> {
    let several = entry.get("names").and_then(Item::as_array).into_iter().flatten();
    let several = several.filter_map(|name| name.as_str().map(str::to_owned));
    entry.get("name").and_then(Item::as_str).map(str::to_owned).into_iter().chain(several).collect()
}

#[cfg(test)]
mod tests {
    use incrowd_core::Role;

    use super::*;

    const TEXT: &str = "# Ours.\nversion = 1\n\n[source]\npath = \"a.csv\"  # here\n\n[policy]\nk = 5  # CONFIRM: enough?\n\
                        confirmed = false\n# [[policy.alpha]]\n\n[[column]]\nname = \"age\"\n\
                        role = \"quasi-identifier\"  # an age\nconfirmed = false\nhierarchy = { intervals = [5, 10] }  # two\n\n\
                        [[column]]\nnames = [\"x1\", \"x2\", \"x3\"]  # three\nrole = \"insensitive\"\nconfirmed = true\n";

    fn changed(change: impl FnOnce(&mut Plan)) -> String {
        let mut plan = Plan::parse(TEXT).expect("a plan");
        change(&mut plan);
        let text = rewrite(TEXT, &plan).expect("a text");
        assert_eq!(Plan::parse(&text).expect("a plan"), plan, "{text}");
        text
    }

    #[test]
    fn a_plan_that_says_the_same_has_the_same_text() {
        assert_eq!(changed(|_| ()), TEXT);
    }

    #[test]
    fn comments_stay_beside_changed_values_but_not_beside_a_changed_role() {
        let text = changed(|plan| {
            plan.policy.k = Some(7);
            plan.columns[0].role = Some(Role::Sensitive);
            plan.columns[0].confirmed = true;
        });
        assert!(text.contains("k = 7  # CONFIRM: enough?\n"), "{text}");
        assert!(text.contains("role = \"sensitive\"\nconfirmed = true\n"), "{text}");
        assert!(text.contains("# [[policy.alpha]]") && text.contains("# two"), "{text}");
    }

    #[test]
    fn an_entry_of_several_columns_is_split_where_they_differ() {
        let text = changed(|plan| plan.columns[2].role = Some(Role::QuasiIdentifier));
        assert!(text.contains("name = \"x1\"") && text.contains("name = \"x3\""), "{text}");
        assert!(text.contains("name = \"x2\"\nrole = \"quasi-identifier\""), "{text}");
    }

    #[test]
    fn rules_sections_and_columns_are_added_and_removed() {
        let text = changed(|plan| {
            let rule = serde_json::json!({ "model": "distinct-l-diversity", "column": "x1", "l": 3 });
            plan.policy.rules = vec![serde_json::from_value(rule).expect("a rule")];
            plan.solve.seed = Some(4);
            plan.columns[0].hierarchy = None;
            plan.columns.pop();
        });
        assert!(text.contains("[[policy.rule]]") && text.contains("[solve]\nseed = 4"), "{text}");
        assert!(!text.contains("x3") && !text.contains("intervals"), "{text}");
    }
}
