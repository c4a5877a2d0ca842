//! A dossier as one self-contained HTML file. Pure: a report is a function of the dossier.
//!
//! The page needs no network and no script, can be read, printed and spoken, and stands in light and in dark. Every
//! picture is drawn as SVG from numbers of the dossier, with a text alternative and a table of its data. [`public`]
//! takes the public type, so that an internal number is not there to be shown.
//!
//! Texts of a dossier are not trusted: they are escaped by construction, direction marks and control characters are
//! written out, and names are isolated from what stands around them.
//!
//! The crate uses `incrowd-core` and no other crate of the workspace, so a report cannot read a table or a release.

pub mod dossier;
mod mapping;
mod numbers;
mod page;
mod picture;
mod sections;
mod style;
mod svg;
mod text;
mod view;

use dossier::{InternalDossier, PublicDossier};

use view::View;

/// The report that may be published.
///
/// ```
/// use incrowd_report::dossier::{Conclusion, DossierKind, PublicDossier};
/// let page = incrowd_report::public(&PublicDossier::new(DossierKind::Check, "<visits>", 10, Conclusion::default()));
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;visits&gt;") && !page.contains("<script"));
/// ```
pub fn public(dossier: &PublicDossier) -> String {
    page::render(&View::public(dossier))
}

/// The report for the custodian: the public one with the numbers behind it.
pub fn internal(dossier: &InternalDossier) -> String {
    page::render(&View::internal(dossier))
}
