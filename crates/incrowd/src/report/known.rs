//! Everything that a dossier is made of, whether it was just made and is still in memory or was read from the disk.

use incrowd_core::dossier::{
    AttackVerdict, Canaries, ColumnSets, Comparison, Conclusion, Context, Counted, Data, InternalDossier, Kind,
    OutputFile, PublicDossier, Repeatability, Reproduction, Risk, SetNumbers, Standing, SubgroupNumbers,
    SubgroupSpread, Threshold, Utility, Verification, WithheldFor,
};
use incrowd_core::{ClassSizes, Outcome, Policy};
use incrowd_risk::attack::USUAL_THRESHOLD;
use incrowd_verify::Manifest;

use super::LEAST_TOLD;
use super::parts::{columns, command, intruder, journalist, not_promised, promises, test_numbers, tests, tries};

/// What is said of a release that the verifier accepted.
const KEPT: &str = "The release keeps every promise below; a verifier that shares no code with its maker found so on the \
                    written bytes.";
/// What is said of one that it refused.
const BROKEN: &str = "The verifier refused the release: it does not keep what it promises, and must not be published.";

/// What is known about a release.
pub(crate) struct Known<'a> {
    /// Its name.
    pub(crate) title: String,
    /// What it says of itself.
    pub(crate) manifest: &'a Manifest,
    /// Whether the verifier accepted it.
    pub(crate) verified: bool,
    /// What is promised, when it is known as more than the manifest tells it.
    pub(crate) policy: Option<&'a Policy>,
    /// What it is published for.
    pub(crate) context: Context,
    /// The largest risk that is accepted.
    pub(crate) risk: Option<f64>,
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
    /// How many look alike in the original.
    pub(crate) before: Option<ClassSizes>,
    /// How many look alike in the release.
    pub(crate) after: ClassSizes,
    /// Which column sets of the original are dangerous.
    pub(crate) sets: Option<(ColumnSets, Vec<SetNumbers>)>,
    /// For which rules rows were withheld.
    pub(crate) withheld_for: Vec<WithheldFor>,
    /// What was withheld of whom.
    pub(crate) subgroups: Vec<SubgroupNumbers>,
    /// What users lose; how evenly rows were withheld is filled in from the subgroups.
    pub(crate) utility: Utility,
    /// What nobody measured, a sentence each.
    pub(crate) not_measured: Vec<String>,
}

impl Known<'_> {
    /// The dossier.
    pub(crate) fn into_dossier(self) -> InternalDossier {
        let manifest = self.manifest;
        let (standing, sentence) = if self.verified { (Standing::Proved, KEPT) } else { (Standing::Fails, BROKEN) };
        let conclusion = Conclusion { standing, sentence: sentence.into() };
        let mut public = PublicDossier::new(Kind::Release, &self.title, LEAST_TOLD, conclusion);
        public.identity.release = Some(manifest.release.clone());
        public.identity.created = Some(manifest.created.clone());
        public.identity.version.clone_from(&manifest.version);
        public.identity.plan_hash = self.plan_hash;
        let file = |file: &incrowd_verify::FileEntry| OutputFile {
            name: file.name.clone(),
            bytes: file.bytes,
            sha256: file.sha256.clone(),
        };
        public.identity.files = manifest.files.iter().map(file).collect();
        public.context = self.context;
        let counted = match manifest.counts {
            incrowd_verify::Counts::Rows => Counted::Rows,
            incrowd_verify::Counts::People => Counted::People,
        };
        public.data = Data {
            counted,
            columns: columns(manifest),
            ..Data::of_release(manifest.rows, manifest.suppressed_rows, LEAST_TOLD)
        };
        public.promises = promises(manifest, self.policy, standing);
        public.not_promised = not_promised(manifest);
        let mut risk = Risk::of(threshold(self.risk), self.before.as_ref(), Some(&self.after));
        risk.after.extend(self.attacks.iter().find(|one| one.attack == "journalist").map(journalist));
        public.risk = Some(risk.verdict());
        public.tests = tests(manifest, &self.after, standing);
        public.attacks = self.attacks.iter().map(|one| AttackVerdict::of(one, tries(one))).collect();
        let spread = |column: &incrowd_core::dossier::ColumnUtility| {
            SubgroupSpread::of(&column.column, &self.subgroups, LEAST_TOLD)
        };
        let subgroups = self.utility.columns.iter().filter_map(spread).collect();
        public.utility = Some(Utility { subgroups, ..self.utility });
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
        let command = self.command.unwrap_or_else(|| command(manifest));
        public.reproduction = Some(Reproduction { command, plan: None, repeatability: self.repeatability });
        let (sets, dangerous_sets) = self.sets.map_or((None, Vec::new()), |(sets, numbers)| (Some(sets), numbers));
        public.column_sets = sets;
        let meanings = self.attacks.iter().map(|one| one.meaning.clone());
        InternalDossier {
            input_fingerprint: self.fingerprint,
            risk: Some(risk),
            tests: test_numbers(&self.attacks),
            classes_before: self.before,
            classes_after: Some(self.after),
            dangerous_sets,
            withheld_for: self.withheld_for,
            subgroups: self.subgroups,
            residual_risk: meanings.chain(self.not_measured).collect(),
            intruder: intruder(manifest),
            seed: self.seed.map(|seed| seed.to_string()),
            attacks: self.attacks,
            ..InternalDossier::new(public)
        }
    }
}

/// The threshold that was chosen, or the usual one.
pub(super) fn threshold(chosen: Option<f64>) -> Threshold {
    let source = match chosen {
        Some(_) => "chosen by the custodian",
        None => "European Medicines Agency, policy 0070, and Health Canada",
    };
    Threshold { value: chosen.unwrap_or(USUAL_THRESHOLD), source: source.into(), rule: Comparison::AtMost }
}
