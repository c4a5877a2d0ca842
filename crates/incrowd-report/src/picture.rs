//! A picture with everything that belongs to it: a title, a plain sentence, a text alternative and its data.

use maud::{Markup, html};

use crate::text::plain;

/// One picture of the report.
pub(crate) struct Picture {
    /// Its id in the page.
    pub(crate) id: &'static str,
    /// What it shows.
    pub(crate) title: String,
    /// What it shows, in one sentence.
    pub(crate) sentence: Markup,
    /// The text alternative.
    pub(crate) description: String,
    /// The height of the drawing; its width is [`WIDTH`].
    pub(crate) height: f64,
    /// The drawing.
    pub(crate) drawing: Markup,
    /// The numbers it is drawn from.
    pub(crate) data: DataTable,
}

/// The width of every drawing: small enough to be read on a telephone.
pub(crate) const WIDTH: f64 = 440.0;

impl Picture {
    pub(crate) fn render(&self) -> Markup {
        let (title, description) = (format!("{}-title", self.id), format!("{}-desc", self.id));
        html! {
            figure id=(self.id) {
                figcaption { h3 { (self.title) } p { (self.sentence) } }
                svg viewBox={ "0 0 " (WIDTH) " " (self.height.ceil()) } role="img" aria-labelledby={ (title) " "
                    (description) } {
                    title id=(title) { (self.title) }
                    desc id=(description) { (plain(&self.description)) }
                    g aria-hidden="true" { (self.drawing) }
                }
                details { summary { "Data of this chart" } (self.data.render(&self.title)) }
            }
        }
    }
}

/// A table: its heads, and its rows of as many cells. The first cell of a row names it.
pub(crate) struct DataTable {
    pub(crate) heads: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Markup>>,
}

impl DataTable {
    pub(crate) fn new<const N: usize>(heads: [&'static str; N], rows: impl IntoIterator<Item = [Markup; N]>) -> Self {
        DataTable { heads: heads.to_vec(), rows: rows.into_iter().map(Vec::from).collect() }
    }

    /// The table, with a name for screen readers. On a narrow page each row becomes a card, its cells named by their
    /// heads; the roles keep it a table there too.
    pub(crate) fn render(&self, name: &str) -> Markup {
        html! {
            table role="table" aria-label=(name) {
                thead role="rowgroup" {
                    tr role="row" { @for head in &self.heads { th scope="col" role="columnheader" { (head) } } }
                }
                tbody role="rowgroup" {
                    @for row in &self.rows {
                        tr role="row" {
                            @for (at, (head, cell)) in self.heads.iter().zip(row).enumerate() {
                                @if at == 0 { th scope="row" role="rowheader" data-head=(head) { (cell) } }
                                @else { td role="cell" data-head=(head) { span { (cell) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A cell of plain text.
pub(crate) fn cell(text: impl Into<String>) -> Markup {
    let text: String = text.into();
    html! { (plain(&text)) }
}
