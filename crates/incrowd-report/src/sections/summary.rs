//! The first screen: what it is, what is promised, what is not, and the verdict; then the few numbers that matter.

use crate::dossier::{Adversary, DossierKind, PublicDossier, Standing};
use incrowd_core::{counted, thousands};
use maud::{Markup, html};

use crate::numbers::per_cent;
use crate::style::standing_class;
use crate::text::words;
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Markup {
    let public = view.public;
    let (class, sign) = look(public);
    html! {
        div class={ "verdict " (class) } {
            span.sign aria-hidden="true" { (sign) }
            p {
                strong { (verdict(public)) }
                @if !public.conclusion.sentence.is_empty() { " " (words(&public.conclusion.sentence)) }
            }
        }
        div.first {
            div { h2 { "What this is" } p { (what(public)) } }
            div { h2 { "What is promised" } (promised(public)) }
            div { h2 { "What is not promised" } (not_promised(public)) }
        }
        (tiles(public))
    }
}

/// How the promises of a release stand; the verdict on the whole also counts the risk.
fn promises(public: &PublicDossier) -> Standing {
    let whole = public.conclusion.standing;
    public.verification.as_ref().map_or(whole, |verification| verification.standing)
}

/// The headline: the promises, and whether the risk of re-identification is acceptable.
fn verdict(public: &PublicDossier) -> String {
    use Standing::{Fails, NotFound, NotJudged, Proved};
    let promises = match (public.kind, promises(public)) {
        (DossierKind::Release, Proved) => "The promises hold.",
        (DossierKind::Release, NotFound) => "Nothing was found that breaks the promises.",
        (DossierKind::Release, Fails) => return "The promises do not hold.".into(),
        (DossierKind::Check, Proved | NotFound) => return "Nothing dangerous was found.".into(),
        (DossierKind::Check, Fails) => return "The table should not be released unchanged.".into(),
        (_, NotJudged) => return "No verdict was reached.".into(),
    };
    let chosen = public.risk.as_ref().and_then(|risk| risk.chosen.as_ref());
    if chosen.is_some_and(|chosen| chosen.estimated) {
        return format!("{promises} The re-identification risk by the chosen attacker is an estimate.");
    }
    // A policy that was made for one attacker is judged by that one.
    let counts = |adversary: Adversary| chosen.is_none_or(|chosen| chosen.adversary == adversary);
    let adversaries = public.risk.iter().flat_map(|risk| &risk.adversaries).filter(|one| counts(one.adversary));
    let standings: Vec<Standing> = adversaries.map(|one| one.standing).collect();
    let risk = if standings.contains(&Fails) {
        " The re-identification risk is above the threshold."
    } else if standings.contains(&NotJudged) {
        " The re-identification risk was not assessed."
    } else if standings.is_empty() {
        ""
    } else {
        " The re-identification risk is within the threshold."
    };
    let by = if chosen.is_some() { " risk by the chosen attacker " } else { " risk " };
    format!("{promises}{}", risk.replace(" risk ", by))
}

/// The colour and the sign of the headline: green only if everything holds, red if the promises do not.
fn look(public: &PublicDossier) -> (&'static str, &'static str) {
    match (public.kind, promises(public), public.conclusion.standing) {
        (DossierKind::Release, Standing::Proved, whole) if whole != Standing::Proved => ("searched", "!"),
        (_, _, whole) => standing_class(whole),
    }
}

fn what(public: &PublicDossier) -> Markup {
    let data = &public.data;
    let published = data.columns.iter().filter(|column| column.is_published() == Some(true)).count();
    html! {
        @match public.kind { DossierKind::Check => "A check of a table of ", DossierKind::Release => "A release of " }
        @match data.rows { Some(rows) => (counted(rows, "row", "rows")), None => "a table" }
        @if let Some(people) = data.people { " about " (people.to_string()) " people" }
        @if public.kind == DossierKind::Release && !data.columns.is_empty() {
            ", with " (published) " of the original’s " (counted(data.columns.len() as u64, "column", "columns"))
        }
        @if let Some(purpose) = &public.context.purpose { "; for: " (words(purpose)) }
        "."
    }
}

fn promised(public: &PublicDossier) -> Markup {
    html! {
        @if public.promises.is_empty() { p { "Nothing: " @match public.kind { DossierKind::Check => "nothing was released.",
            DossierKind::Release => "no model was requested." } } }
        @else { ul { @for promise in &public.promises { li { (words(&promise.sentence)) } } } }
    }
}

fn not_promised(public: &PublicDossier) -> Markup {
    let rest = public.not_promised.len().saturating_sub(2);
    html! {
        @if public.not_promised.is_empty() {
            p {
                @match public.kind {
                    DossierKind::Check => "Whether a release is safe: that depends on how the table is anonymized.",
                    DossierKind::Release => "The dossier does not say. No model protects against everything.",
                }
            }
        }
        @else {
            ul { @for sentence in public.not_promised.iter().take(2) { li { (words(sentence)) } } }
            @if rest > 0 { p.more { a href="#promises" { "and " (counted(rest as u64, "more thing", "more things")) } }
                }
        }
    }
}

/// A number with the sentence beside it.
fn tile(number: &str, sentence: &Markup) -> Markup {
    html! { div.tile { p.big { (number) } p { (sentence) } } }
}

fn tiles(public: &PublicDossier) -> Markup {
    let mut tiles = Vec::new();
    if let Some(rows) = public.data.rows {
        let withheld = public.data.withheld_share.map(|share| share.to_string());
        tiles.push(tile(
            &thousands(rows),
            &html! {
                @match public.kind { DossierKind::Check => "rows in the table", DossierKind::Release => "rows are published" }
                @if let Some(share) = withheld { "; " (share) " of the original were suppressed" } "."
            },
        ));
    }
    if let Some(loss) = public.utility.as_ref().and_then(|utility| utility.loss) {
        tiles.push(tile(&loss.to_string(), &html! { "information loss (0 = no loss, 1 = all detail lost)." }));
    }
    if let Some(ratio) = public.utility.as_ref().and_then(|utility| utility.ratio) {
        let best = ratio.value() <= 1.0;
        tiles.push(tile(
            &format!("{ratio} ×"),
            &html! {
                "the lower bound on the loss of any release with these promises and hierarchies"
                @if best { ": no such release loses less." } @else { "." }
            },
        ));
    }
    let best = public
        .utility
        .as_ref()
        .and_then(|utility| utility.queries.as_ref())
        .and_then(|queries| queries.errors.iter().map(|error| error.median.value()).min_by(f64::total_cmp));
    if let Some(error) = best {
        tiles.push(tile(&per_cent(error), &html! { "median error of a count query on the release." }));
    }
    if let Some(canaries) = public.verification.as_ref().and_then(|verification| verification.canaries) {
        tiles.push(tile(
            &format!("{} of {}", thousands(canaries.found), thousands(canaries.searched)),
            &html! {
                "or more removed values were found in the written bytes."
            },
        ));
    }
    html! { @if !tiles.is_empty() { div.tiles { @for tile in tiles { (tile) } } } }
}
