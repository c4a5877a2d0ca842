//! Everything that a dossier is made of, whether it was just made and is still in memory or was read from the disk.

use incrowd_core::{ClassSizes, Finding, ModelEntry, Outcome, Policy};
use incrowd_report::dossier::{
    Adversary, AttackConclusion, Canaries, ChosenAttacker, ColumnSets, Conclusion, Context, Counted, Data, DossierKind,
    InternalDossier, OutputFile, PublicDossier, Repeatability, Reproduction, Risk, RiskThreshold, RiskVerdict,
    SetNumbers, Standing, SubgroupNumbers, SubgroupSpread, ThresholdSide, Utility, Verification, WithheldFor,
};
use incrowd_risk::attack::USUAL_THRESHOLD;
use incrowd_verify::Manifest;

use super::LEAST_TOLD;
use super::parts::{columns, command, intruder, journalist, not_promised, promises, test_numbers, tries};
use super::privacy_tests::tests;
use super::utility::utility as shown;
use crate::exposure::{Basis, Knowledge};
use crate::release::small_counts;

/// What is said of a release that the verifier accepted.
const KEPT: &str = "The release keeps every promise below; this was verified on the written bytes by a verifier that \
                    shares no code with the solver and the writer.";
/// What is said when class sizes count rows and k counts people.
const ROWS_NOT_PEOPLE: &str = "Class sizes on the published columns count rows, and one person may have several: the risk \
                               figures are lower bounds.";
/// What is said when the known columns could not be counted together.
const NOT_COUNTED: &str = "The classes on all columns that an attacker could know were not counted within the allowed \
                           memory: the risk figures are about the quasi-identifiers alone.";
/// The same of one whose promises are about people, whom the written bytes do not tell apart.
const KEPT_FOR_PEOPLE: &str = "A verifier that shares no code with the solver and the writer found every promise \
                               below to hold for the people of the table, before the files were written. On the \
                               written bytes it did not count people: it checked k for rows, and no share of people.";
/// What is said when the population was not at hand that promises are about.
const KEPT_BUT_FOR_POPULATION: &str = "Promises about a population were not checked for this page, because the \
                                       population was not given. The release keeps every other promise below.";
/// What is said of one that it refused.
const BROKEN: &str = "The verifier did not accept the release: it does not keep its promises and must not be \
                      published.";

/// What is known about a release.
pub(crate) struct Known<'a> {
    /// Its name.
    pub(crate) title: String,
    /// What it says of itself.
    pub(crate) manifest: &'a Manifest,
    /// Whether the verifier accepted it.
    pub(crate) verified: bool,
    /// Whether promises about a population were checked, if there are any.
    pub(crate) population_checked: bool,
    /// What is promised, when it is known as more than the manifest tells it.
    pub(crate) policy: Option<&'a Policy>,
    /// What it is published for.
    pub(crate) context: Context,
    /// The largest risk that is accepted.
    pub(crate) risk: Option<f64>,
    /// The attacker that the policy was made for.
    pub(crate) chosen: Option<ChosenAttacker>,
    /// The command that made it.
    pub(crate) command: Option<String>,
    /// SHA-256 of the plan.
    pub(crate) plan_hash: Option<String>,
    /// The keyed fingerprint of the input.
    pub(crate) fingerprint: Option<String>,
    /// The seed of the solver.
    pub(crate) seed: Option<u64>,
    /// Whether a second run gives the same bytes.
    pub(crate) repeatability: Option<Repeatability>,
    /// What the attacks achieved.
    pub(crate) attacks: Vec<Outcome>,
    /// Class sizes of the original.
    pub(crate) before: Option<ClassSizes>,
    /// Class sizes of the release, on all columns that an attacker could know.
    pub(crate) after: ClassSizes,
    /// Which columns these are, and what was counted on them.
    pub(crate) knowledge: Knowledge,
    /// Columns that are published unchanged and split classes.
    pub(crate) findings: Vec<Finding>,
    /// Which column sets of the original are dangerous.
    pub(crate) sets: Option<(ColumnSets, Vec<SetNumbers>)>,
    /// For which rules rows were suppressed.
    pub(crate) withheld_for: Vec<WithheldFor>,
    /// What was suppressed of whom.
    pub(crate) subgroups: Vec<SubgroupNumbers>,
    /// What users lose; how evenly rows were suppressed is filled in from the subgroups.
    pub(crate) utility: Utility,
    /// What no one measured, a sentence each.
    pub(crate) not_measured: Vec<String>,
}

impl Known<'_> {
    /// The dossier.
    pub(crate) fn into_dossier(self) -> InternalDossier {
        let risk = self.measured_risk();
        let mut public = self.public_part(&risk);
        let spread = |column: &incrowd_report::dossier::ColumnUtility| {
            SubgroupSpread::of(&column.column, &self.subgroups, LEAST_TOLD)
        };
        let subgroups = self.utility.columns.iter().filter_map(spread).collect();
        let utility = Utility { subgroups, ..self.utility };
        let (sets, dangerous_sets) = self.sets.map_or((None, Vec::new()), |(sets, numbers)| (Some(sets), numbers));
        // What looks at the original too would tell, beside the published rows, how many of its rows are missing.
        let hidden = small_counts::most_withheld(self.manifest) > 0;
        let (inside, inside_sets) = if hidden { (Some(utility.clone()), sets.clone()) } else { (None, None) };
        public.utility = Some(if hidden { utility.of_published_rows(&shown(self.manifest, &[])) } else { utility });
        public.column_sets = if hidden { None } else { sets };
        public.identity.plan_hash = self.plan_hash;
        public.context = self.context;
        let command = self.command.unwrap_or_else(|| command(self.manifest));
        public.reproduction = Some(Reproduction { command, plan: None, repeatability: self.repeatability });
        let meanings = self.attacks.iter().map(|one| one.meaning.clone());
        let basis = match self.knowledge.basis {
            Basis::Exact => None,
            Basis::RowsNotPeople => Some(ROWS_NOT_PEOPLE.to_owned()),
            Basis::NotCounted => Some(NOT_COUNTED.to_owned()),
        };
        InternalDossier {
            findings: self.findings.iter().map(Into::into).collect(),
            input_fingerprint: self.fingerprint,
            risk: Some(risk),
            tests: test_numbers(&self.attacks),
            classes_before: self.before,
            classes_after: Some(self.after),
            dangerous_sets,
            withheld_for: self.withheld_for,
            subgroups: self.subgroups,
            utility: inside,
            column_sets: inside_sets,
            residual_risk: meanings.chain(basis).chain(self.not_measured).collect(),
            intruder: intruder(self.manifest),
            seed: self.seed.map(|seed| seed.to_string()),
            attacks: self.attacks,
            ..InternalDossier::new(public)
        }
    }

    /// What may be published of the release itself: what it is, what it promises, and how that was judged.
    fn public_part(&self, risk: &Risk) -> PublicDossier {
        let (manifest, (standing, sentence)) = (self.manifest, self.verdict_of_verifier());
        let counted = match manifest.counts {
            incrowd_verify::Counts::Rows => Counted::Rows,
            incrowd_verify::Counts::People => Counted::People,
        };
        let verdict = self.judged(risk);
        let conclusion = match &verdict.chosen {
            Some(chosen) => conclusion_for(chosen, (standing, sentence), risk, &verdict, counted),
            None => conclusion((standing, sentence), &verdict, risk_of(risk, Adversary::Prosecutor, counted)),
        };
        let mut public = PublicDossier::new(DossierKind::Release, &self.title, LEAST_TOLD, conclusion);
        public.identity.release = Some(manifest.release.clone());
        public.identity.created = Some(manifest.created.clone());
        public.identity.version.clone_from(&manifest.version);
        let file = |file: &incrowd_verify::FileEntry| OutputFile {
            name: file.name.clone(),
            bytes: file.bytes,
            sha256: file.sha256.clone(),
        };
        public.identity.files = manifest.files.iter().map(file).collect();
        let data = Data::of_release(manifest.rows, small_counts::withheld(manifest));
        public.data = Data { counted, columns: columns(manifest), ..data };
        public.promises = promises(manifest, self.policy, standing);
        if !self.population_checked {
            public.promises.iter_mut().filter(|one| is_about_population(&one.model)).for_each(|one| {
                one.standing = Standing::NotJudged;
            });
        }
        public.not_promised = not_promised(manifest);
        public.tests = tests(manifest, &self.after, &self.knowledge, standing);
        public.risk = Some(verdict);
        public.findings = self.findings.iter().map(Into::into).collect();
        public.attacks = self.attacks.iter().map(|one| AttackConclusion::of(one, tries(one))).collect();
        let (searched, found) = (manifest.canaries.values, manifest.canaries.found);
        public.verification = Some(Verification {
            by: manifest.verified.by.clone(),
            at: manifest.created.clone(),
            standing,
            sentence: sentence.into(),
            canaries: Some(Canaries { searched, found, bytes: manifest.canaries.bytes }),
        });
        public
    }

    fn verdict_of_verifier(&self) -> (Standing, &'static str) {
        match (self.verified, self.manifest.counts) {
            (false, _) => (Standing::Fails, BROKEN),
            (true, incrowd_verify::Counts::Rows) if !self.population_checked => {
                (Standing::NotJudged, KEPT_BUT_FOR_POPULATION)
            }
            (true, incrowd_verify::Counts::Rows) => (Standing::Proved, KEPT),
            (true, incrowd_verify::Counts::People) => (Standing::Proved, KEPT_FOR_PEOPLE),
        }
    }

    /// The risk of re-identification before and after.
    fn measured_risk(&self) -> Risk {
        let mut risk = Risk::of(threshold(self.risk), self.before.as_ref(), Some(&self.after));
        risk.after.extend(self.attacks.iter().find(|one| one.attack == "journalist").map(journalist));
        risk
    }

    /// The published columns that the risk was counted on, and those that it was not counted on.
    fn columns_of_risk(&self) -> (Vec<String>, Vec<String>) {
        let shown = |name: &String| {
            let treated = self.manifest.columns.iter().find(|column| column.name == *name);
            match treated.and_then(|column| column.treatment.as_ref()) {
                Some(treatment) => format!("{name} (treated: {treatment})"),
                None => name.clone(),
            }
        };
        let Knowledge { known, unknown, basis } = &self.knowledge;
        let (with, without): (&[String], &[String]) =
            if *basis == Basis::NotCounted { (&[], known) } else { (known, &[]) };
        let quasi = self.manifest.published(incrowd_verify::Role::QuasiIdentifier);
        (quasi.iter().chain(with).map(shown).collect(), without.iter().chain(unknown).map(shown).collect())
    }

    /// Whether the risk is acceptable; not judged where other things than those of the promise were counted.
    fn judged(&self, risk: &Risk) -> RiskVerdict {
        let (counted_columns, other_columns) = self.columns_of_risk();
        let chosen = self.chosen.clone();
        let mut verdict = RiskVerdict { counted_columns, other_columns, chosen, ..risk.verdict() };
        if self.knowledge.basis != Basis::Exact {
            let proved = verdict.adversaries.iter_mut().filter(|one| one.standing == Standing::Proved);
            proved.for_each(|one| one.standing = Standing::NotJudged);
        }
        verdict
    }
}

/// Whether a model is about a population.
fn is_about_population(model: &str) -> bool {
    ModelEntry::find(model).is_ok_and(|entry| entry.population)
}

/// The greatest chance of finding a person, where anyone who has the release can count it: the number of people behind
/// rows is not published.
fn risk_of(risk: &Risk, adversary: Adversary, counted: Counted) -> Option<f64> {
    let found = risk.after.iter().find(|one| one.adversary == adversary)?;
    found.max.filter(|_| counted == Counted::Rows)
}

/// The verdict on the whole of a release that was made for one attacker. What the others achieve is said beside it.
fn conclusion_for(
    chosen: &ChosenAttacker,
    (promises, kept): (Standing, &str),
    risk: &Risk,
    verdict: &RiskVerdict,
    counted: Counted,
) -> Conclusion {
    let threshold = per_cent(risk.threshold.value);
    let attacker = chosen.adversary.name();
    let own = verdict.adversaries.iter().find(|one| one.adversary == chosen.adversary).map(|one| one.standing);
    let estimated = chosen.estimated.then(|| risk.threshold.accepts(1.0 / chosen.people as f64));
    let (standing, words) = match own {
        _ if estimated == Some(true) => (
            Standing::NotJudged,
            format!("Estimated, not proved: the risk by a {attacker} attacker is within the threshold of {threshold}."),
        ),
        _ if estimated == Some(false) => (
            Standing::Fails,
            format!("The estimated risk by a {attacker} attacker is above the threshold of {threshold}."),
        ),
        Some(Standing::Proved) => {
            (Standing::Proved, format!("The risk by a {attacker} attacker is within the threshold of {threshold}."))
        }
        Some(Standing::Fails) => {
            (Standing::Fails, format!("The risk by a {attacker} attacker is above the threshold of {threshold}."))
        }
        _ => (Standing::NotJudged, format!("The risk by a {attacker} attacker was not assessed.")),
    };
    let known = risk_of(risk, Adversary::Prosecutor, counted);
    let beside = known.map(|most| {
        format!(" If it is known that a person is in the table, the risk of that person is up to {}.", per_cent(most))
    });
    let standing = if promises == Standing::Proved { standing } else { promises };
    Conclusion { standing, sentence: format!("{kept} {words}{}", beside.unwrap_or_default()) }
}

/// The verdict on the whole: the promises, and whether the risk of re-identification is acceptable. Proved only if both
/// are.
fn conclusion((promises, kept): (Standing, &str), risk: &RiskVerdict, most: Option<f64>) -> Conclusion {
    let has = |standing: Standing| risk.adversaries.iter().any(|one| one.standing == standing);
    let of = most.map(|most| format!(" of up to {}", per_cent(most))).unwrap_or_default();
    let threshold = per_cent(risk.threshold.value);
    let (standing, words) = match (has(Standing::Fails), has(Standing::NotJudged)) {
        (true, _) => {
            (Standing::Fails, format!("The re-identification risk{of} is above the threshold of {threshold}."))
        }
        (false, true) => (
            Standing::NotJudged,
            format!("Whether the re-identification risk is within the threshold of {threshold} was not assessed."),
        ),
        (false, false) => {
            (Standing::Proved, format!("The re-identification risk{of} is within the threshold of {threshold}."))
        }
    };
    let standing = if promises == Standing::Proved { standing } else { promises };
    Conclusion { standing, sentence: format!("{kept} {words}") }
}

/// A chance in per cent, with as many places as it needs.
fn per_cent(chance: f64) -> String {
    let rounded = (chance * 1000.0).round() / 10.0;
    if rounded.fract() == 0.0 { format!("{rounded:.0} %") } else { format!("{rounded:.1} %") }
}

/// The threshold that was chosen, or the usual one.
pub(super) fn threshold(chosen: Option<f64>) -> RiskThreshold {
    let source = match chosen {
        Some(_) => "chosen by the custodian",
        None => "European Medicines Agency, policy 0070, and Health Canada",
    };
    RiskThreshold { value: chosen.unwrap_or(USUAL_THRESHOLD), source: source.into(), rule: ThresholdSide::AtMost }
}
