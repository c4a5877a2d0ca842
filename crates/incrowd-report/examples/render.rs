//! Renders the made-up dossier of `incrowd-core`, both editions, and what a mere check of the same table would give:
//! `cargo run -p incrowd-report --example render -- FOLDER`.

use std::path::Path;

use incrowd_report::dossier::{Conclusion, Data, DossierKind, EXAMPLE, InternalDossier, PublicDossier, Standing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    let write = |name: &str, page: String| std::fs::write(Path::new(&folder).join(name), page);
    let dossier: InternalDossier = serde_json::from_str(EXAMPLE)?;
    write("public.html", incrowd_report::public(&dossier.public))?;
    write("internal.html", incrowd_report::internal(&dossier))?;
    write("check.html", incrowd_report::internal(&checked(&dossier)))?;
    Ok(())
}

/// What is known before anything is released.
fn checked(release: &InternalDossier) -> InternalDossier {
    let sentence = "Most people stand in a crowd smaller than five.".to_owned();
    let mut public =
        PublicDossier::new(DossierKind::Check, "adult.csv", 10, Conclusion { standing: Standing::Fails, sentence });
    let columns = release.public.data.columns.iter().cloned();
    public.data = Data {
        rows: Some(30_162),
        columns: columns.map(|column| incrowd_report::dossier::Column { technique: None, ..column }).collect(),
        ..Data::default()
    };
    public.identity.version = release.public.identity.version.clone();
    public.findings = release.public.findings.clone();
    public.column_sets = release.public.column_sets.clone();
    InternalDossier {
        classes_before: release.classes_before.clone(),
        dangerous_sets: release.dangerous_sets.clone(),
        findings: release.findings.clone(),
        ..InternalDossier::new(public)
    }
}
