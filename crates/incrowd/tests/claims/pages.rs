//! The prose of a Markdown page: paragraphs, list items and table rows, without headings and code blocks.

pub(crate) fn prose(text: &str) -> Vec<String> {
    let (mut found, mut open, mut in_code) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            in_code = !in_code;
            found.push(std::mem::take(&mut open));
            continue;
        }
        if in_code {
            continue;
        }
        let item = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* "));
        if trimmed.is_empty() || item.is_some() || trimmed.starts_with(['#', '|', '<']) {
            found.push(std::mem::take(&mut open));
        }
        match item {
            Some(item) => open.push_str(item),
            None if trimmed.starts_with(['#', '<']) || trimmed.starts_with("| ---") => {}
            None if trimmed.starts_with('|') => found.extend(trimmed.split('|').map(|cell| cell.trim().to_owned())),
            None if !trimmed.is_empty() => {
                let space = if open.is_empty() { "" } else { " " };
                open.extend([space, trimmed]);
            }
            None => {}
        }
    }
    found.push(open);
    found.retain(|paragraph| !paragraph.is_empty());
    found
}
