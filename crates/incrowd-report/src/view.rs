//! What a report may see.

use crate::dossier::{ColumnSets, InternalDossier, PublicDossier, Utility};
use incrowd_core::Role;
use maud::{Markup, html};

use crate::style::badge;
use crate::text::{is_long, name};

/// The dossier that is shown: its public part, and the internal one only in the custodian's report.
pub(crate) struct View<'a> {
    pub(crate) public: &'a PublicDossier,
    pub(crate) internal: Option<&'a InternalDossier>,
}

impl<'a> View<'a> {
    pub(crate) fn public(public: &'a PublicDossier) -> Self {
        View { public, internal: None }
    }

    pub(crate) fn internal(internal: &'a InternalDossier) -> Self {
        View { public: &internal.public, internal: Some(internal) }
    }

    /// What users lose: for the custodian with suppressed rows counted, where that is not published.
    pub(crate) fn utility(&self) -> Option<&'a Utility> {
        self.internal.and_then(|internal| internal.utility.as_ref()).or(self.public.utility.as_ref())
    }

    /// Which sets of columns of the original are dangerous; where rows may be suppressed, for the custodian alone.
    pub(crate) fn column_sets(&self) -> Option<&'a ColumnSets> {
        self.internal.and_then(|internal| internal.column_sets.as_ref()).or(self.public.column_sets.as_ref())
    }

    /// The role of a column, when the dossier tells it.
    pub(crate) fn role(&self, column: &str) -> Option<Role> {
        self.public.data.columns.iter().find(|known| known.name == column).map(|known| known.role)
    }

    /// A column's name with the badge of its role.
    pub(crate) fn column(&self, column: &str) -> Markup {
        html! {
            span.column.whole[!is_long(column)] { @if let Some(role) = self.role(column) { (badge(role)) "\u{a0}" }
                (name(column)) }
        }
    }

    /// Columns with their badges.
    pub(crate) fn columns(&self, columns: &[String]) -> Markup {
        html! { @for (at, column) in columns.iter().enumerate() { @if at > 0 { ", " } (self.column(column)) } }
    }
}
