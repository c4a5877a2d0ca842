//! A hierarchy back in the file form: `;`, quotes only where needed, all lines of one length.

use super::Hierarchy;

impl Hierarchy {
    /// The file form. [`Hierarchy::read`] gives the same hierarchy back.
    ///
    /// ```
    /// use incrowd_core::Hierarchy;
    /// let text = "Ulm;Germany;*\nWien;\"Austria; Alps\";*\n";
    /// assert_eq!(Hierarchy::read(text)?.write(), text);
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn write(&self) -> String {
        let mut text = String::new();
        for leaf in 0..self.leaf_count() {
            for (level, node) in self.path(leaf).enumerate() {
                if level > 0 {
                    text.push(';');
                }
                push_cell(&mut text, node.label());
            }
            text.push('\n');
        }
        text
    }
}

fn push_cell(text: &mut String, label: &str) {
    // A byte order mark is quoted so that the first label of a file keeps it.
    if label.contains([';', '"', '\n', '\r', '\u{feff}']) {
        text.push('"');
        text.push_str(&label.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(label);
    }
}
