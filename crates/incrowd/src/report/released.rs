//! The dossier of a release, from its manifest, its record, and what attacks and the original tell.

use std::path::Path;

use incrowd_core::dossier::{
    AdversaryRisk, AttackVerdict, Canaries, Column, Comparison, Conclusion, Data, InternalDossier, Kind, OutputFile,
    Promise, PublicDossier, Reproduction, Risk, Standing, Technique, Test, TestNumbers, TestVerdict, Threshold,
    Verification, WithheldFor,
};
use incrowd_core::{ClassSizes, Figure, Outcome, Role};
use incrowd_engine::{Engine, Question, Source};
use incrowd_risk::attack::{AttackEntry, USUAL_THRESHOLD};
use incrowd_verify::Manifest;
use serde_json::Value;

use super::utility::{QUERIES, utility};
use super::{LEAST_TOLD, ReportOptions};
use crate::attack::{AttackOptions, Attacked, attack};
use crate::compare::{CompareOptions, Compared, compare};
use crate::error::{Error, Result};
use crate::release::Record;
use crate::verify::{VerifyOptions, verify};

/// Everything that is known about a release.
pub fn release_dossier(engine: &Engine, release: &Path, options: &ReportOptions<'_>) -> Result<InternalDossier> {
    let manifest = Manifest::read(release).map_err(|_| Error::NotARelease(release.into()))?;
    let record = Record::of(release)?;
    let verdict = verify(release, &VerifyOptions { watch: engine.watch(), ..VerifyOptions::default() })?;
    let asked = AttackOptions { against: options.against, risk: options.risk, ..AttackOptions::default() };
    let attacked = attack(engine, release, &asked)?;
    let before = options.against.map(|source| sizes(engine, source, &manifest)).transpose()?;
    let compared = options.against.map(|source| compared(engine, source, release)).transpose()?;
    let after = ClassSizes::from_sizes(attacked.crowds.iter().copied());

    let standing = if verdict.verified { Standing::Proved } else { Standing::Fails };
    let sentence = match verdict.verified {
        true => {
            "The release keeps every promise below; a verifier that shares no code with its maker found so on the written bytes."
        }
        false => "The verifier refused the release: it does not keep what it promises, and must not be published.",
    };
    let title = release.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut public =
        PublicDossier::new(Kind::Release, &title, LEAST_TOLD, Conclusion { standing, sentence: sentence.into() });
    public.identity.release = Some(manifest.release.clone());
    public.identity.created = Some(manifest.created.clone());
    public.identity.version.clone_from(&manifest.version);
    let file = |file: &incrowd_verify::FileEntry| OutputFile {
        name: file.name.clone(),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
    };
    public.identity.files = manifest.files.iter().map(file).collect();
    public.context = options.context.clone();
    public.data =
        Data { columns: columns(&manifest), ..Data::of_release(manifest.rows, manifest.suppressed_rows, LEAST_TOLD) };
    public.promises = promises(&manifest, record.as_ref(), standing);
    public.not_promised = not_promised(&manifest);
    let threshold = Threshold {
        value: options.risk.unwrap_or(USUAL_THRESHOLD),
        source: match options.risk {
            Some(_) => "chosen by the custodian".into(),
            None => "European Medicines Agency, policy 0070, and Health Canada".into(),
        },
        rule: Comparison::AtMost,
    };
    let mut risk = Risk::of(threshold, before.as_ref(), Some(&after));
    risk.after.extend(attacked.attacks.iter().find(|one| one.attack == "journalist").map(journalist));
    public.risk = Some(risk.verdict());
    public.tests = tests(&manifest, &attacked, standing);
    public.attacks = attacked.attacks.iter().map(|one| AttackVerdict::of(one, tries(one))).collect();
    public.utility = Some(utility(&manifest, record.as_ref(), compared.as_ref()));
    public.verification = Some(Verification {
        by: manifest.verified.by.clone(),
        at: manifest.created.clone(),
        standing,
        sentence: sentence.into(),
        canaries: Some(Canaries {
            searched: manifest.canaries.values,
            found: manifest.canaries.found,
            bytes: manifest.canaries.bytes,
        }),
    });
    let command = options.command.clone().unwrap_or_else(|| format!("incrowd verify {title}"));
    public.reproduction = Some(Reproduction { command, plan: None });

    let withheld =
        |one: &crate::WithheldFor| WithheldFor { rule: one.rule.clone(), rows: one.rows, why: one.why.clone() };
    Ok(InternalDossier {
        risk: Some(risk),
        tests: test_numbers(&attacked),
        classes_before: before,
        classes_after: Some(after),
        withheld_for: record.iter().flat_map(|record| &record.withheld_for).map(withheld).collect(),
        residual_risk: attacked.attacks.iter().map(|one| one.meaning.clone()).collect(),
        intruder: intruder(&manifest),
        seed: record.as_ref().and_then(|record| record.randomness.seed).map(|seed| seed.to_string()),
        attacks: attacked.attacks,
        ..InternalDossier::new(public)
    })
}

/// How large the crowds of the original are on the quasi-identifiers.
fn sizes(engine: &Engine, source: &Source, manifest: &Manifest) -> Result<ClassSizes> {
    let quasi_identifiers = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    let question = Question { quasi_identifiers, ..Question::default() };
    let table = source.count(engine, &question)?.into_table(engine)?;
    Ok(ClassSizes::from_sizes((0..table.tuples()).map(|tuple| table.count(tuple))))
}

fn compared(engine: &Engine, source: &Source, release: &Path) -> Result<Compared> {
    let mut options = CompareOptions::default();
    options.workload.queries = QUERIES;
    compare(engine, source, &[release.into()], &options)
}

fn columns(manifest: &Manifest) -> Vec<Column> {
    let role = |role: incrowd_verify::Role| match role {
        incrowd_verify::Role::Identifier => Role::Identifier,
        incrowd_verify::Role::Subject => Role::Subject,
        incrowd_verify::Role::QuasiIdentifier => Role::QuasiIdentifier,
        incrowd_verify::Role::Sensitive => Role::Sensitive,
        incrowd_verify::Role::Insensitive => Role::Insensitive,
    };
    let technique = |technique: incrowd_verify::Technique| match technique {
        incrowd_verify::Technique::Removed => Technique::Removed,
        incrowd_verify::Technique::Generalized => Technique::Generalized,
        incrowd_verify::Technique::Suppressed => Technique::Suppressed,
        incrowd_verify::Technique::Retained => Technique::Retained,
        incrowd_verify::Technique::MovedToSecondTable => Technique::MovedToSecondTable,
    };
    let column = |column: &incrowd_verify::ColumnEntry| Column {
        name: column.name.clone(),
        role: role(column.role),
        reason: None,
        technique: Some(technique(column.technique)),
    };
    manifest.columns.iter().map(column).collect()
}

fn promises(manifest: &Manifest, record: Option<&Record>, standing: Standing) -> Vec<Promise> {
    let quasi = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    let promise = |(at, rule): (usize, &incrowd_verify::Rule)| {
        let known = record.and_then(|record| record.policy.models.get(at)).and_then(|rule| rule.model().ok());
        let sentence = match (manifest.two_tables.is_some() && rule.sensitive.is_empty(), known) {
            (true, _) => "Everybody's sensitive values are published among those of others of their class.".into(),
            (false, Some(model)) => model.promise(),
            (false, None) => format!("{} holds, as the manifest says it.", rule.model),
        };
        Promise {
            model: rule.model.clone(),
            parameters: parameters(rule),
            quasi_identifiers: quasi.clone(),
            sensitive: rule.sensitive.clone(),
            sentence,
            standing,
        }
    };
    manifest.policy.models.iter().enumerate().map(promise).collect()
}

/// The numbers of a rule; lists of values are not told.
fn parameters(rule: &incrowd_verify::Rule) -> String {
    let told = rule.parameters.iter().filter_map(|(name, value)| match value {
        Value::Number(number) => Some(format!("{name} = {number}")),
        Value::String(text) => Some(format!("{name} = {text}")),
        _ => None,
    });
    told.collect::<Vec<_>>().join(", ")
}

fn not_promised(manifest: &Manifest) -> Vec<String> {
    let mut told = vec![
        "Protection against those who know more than the quasi-identifiers.".to_owned(),
        "Protection against those who hold another release of the same people.".to_owned(),
        "Protection against those who know that the solver loses as little as it can, beyond what the attacks measured."
            .to_owned(),
    ];
    told.extend(manifest.two_tables.as_ref().map(|two| two.does_not_hide.clone()).filter(|words| !words.is_empty()));
    told
}

fn journalist(outcome: &Outcome) -> AdversaryRisk {
    AdversaryRisk {
        adversary: incrowd_core::dossier::Adversary::Journalist,
        max: outcome.figure("max"),
        mean: outcome.figure("mean").unwrap_or_default(),
        above: outcome.figure("above_threshold"),
    }
}

fn tries(outcome: &Outcome) -> &'static str {
    AttackEntry::find(&outcome.attack).map_or("", |entry| entry.summary)
}

/// The three tests of opinion 05/2014, with the evidence that there is.
fn tests(manifest: &Manifest, attacked: &Attacked, verified: Standing) -> Vec<TestVerdict> {
    let two = manifest.two_tables.is_some();
    let alone = attacked.crowds.contains(&1);
    let singling = match (two, alone) {
        (true, _) => {
            (Standing::Fails, "Quasi-identifiers are published as they are, so people can be singled out by them.")
        }
        (false, true) => (Standing::Fails, "Somebody stands alone on the published quasi-identifiers."),
        (false, false) => {
            (verified, "Nobody stands alone: every combination of published quasi-identifiers belongs to several rows.")
        }
    };
    let linking = match two {
        true => (
            Standing::Fails,
            "Rows can be linked to other tables by their quasi-identifiers; only the secrets are blurred.",
        ),
        false => (verified, "A row can be linked to another table only together with all rows of its class."),
    };
    let protected = manifest.policy.models.iter().any(|rule| !rule.sensitive.is_empty());
    let inferring = match protected {
        true => (verified, "A rule of the policy bounds what the class of a person says about the protected columns."),
        false => (Standing::NotJudged, "No rule of the policy is about what can be inferred from a class."),
    };
    let verdict =
        |test: Test, (standing, evidence): (Standing, &str)| TestVerdict { test, standing, evidence: evidence.into() };
    vec![verdict(Test::SinglingOut, singling), verdict(Test::Linkability, linking), verdict(Test::Inference, inferring)]
}

fn test_numbers(attacked: &Attacked) -> Vec<TestNumbers> {
    let figures = |ids: &[&str]| -> Vec<Figure> {
        let outcomes = attacked.attacks.iter().filter(|one| ids.contains(&one.attack.as_str()));
        outcomes.map(|one| Figure::new(&format!("{} {}", one.attack, one.column), one.success)).collect()
    };
    vec![
        TestNumbers { test: Test::SinglingOut, figures: figures(&["prosecutor"]) },
        TestNumbers { test: Test::Linkability, figures: figures(&["journalist", "marketer", "intersection"]) },
        TestNumbers {
            test: Test::Inference,
            figures: figures(&["homogeneity", "inference", "background", "learning"]),
        },
    ]
}

/// What a motivated intruder is to try (ICO).
fn intruder(manifest: &Manifest) -> Vec<String> {
    let quasi = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    vec![
        format!(
            "Choose ten people whom you know to be in the table, and write down what you know of: {}.",
            quasi.join(", ")
        ),
        "Find the rows of the release that fit each of them, and count them.".into(),
        "Say for each person what you now believe about the sensitive columns, and how sure you are.".into(),
        "Let somebody who holds the table count how often you were right, and by how much that beats guessing.".into(),
    ]
}
