//! The dossier of a mere check: what a table gives away before anything is done to it.

use incrowd_report::dossier::{
    Column, ColumnSets, Conclusion, Context, Data, DossierKind, InternalDossier, PublicDossier, PublicFinding, Standing,
};

use super::LEAST_TOLD;
use crate::ask::check::Check;

/// Everything that a check found.
pub fn check_dossier(check: &Check, context: Context) -> InternalDossier {
    let (standing, sentence) = match check.safe {
        true => (Standing::NotFound, "Nothing dangerous was found in the table on the given quasi-identifiers."),
        false => (Standing::Fails, "The table is not safe to share unchanged."),
    };
    let conclusion = Conclusion { standing, sentence: sentence.into() };
    // The name alone: the path says where the custodian keeps the table.
    let title = check.source.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut public = PublicDossier::new(DossierKind::Check, title, LEAST_TOLD, conclusion);
    public.identity.version = env!("CARGO_PKG_VERSION").into();
    public.context = context;
    let column = |column: &crate::ColumnReport| Column {
        name: column.name.clone(),
        role: column.role,
        reason: Some(column.reason.clone()),
        technique: None,
        treatment: None,
    };
    public.data = Data {
        rows: Some(check.diagnosis.rows),
        columns: check.columns.iter().map(column).collect(),
        ..Data::default()
    };
    public.findings = check.diagnosis.findings.iter().map(PublicFinding::from).collect();
    public.column_sets = Some(ColumnSets::from(&check.diagnosis));
    public.not_promised = vec!["A check promises nothing: it reports what was found in one table.".into()];
    let diagnosis = &check.diagnosis;
    InternalDossier {
        findings: diagnosis.findings.iter().map(Into::into).collect(),
        dangerous_sets: diagnosis.smallest_dangerous.iter().map(Into::into).collect(),
        residual_risk: vec![check.verdict.clone()],
        ..InternalDossier::new(public)
    }
}
