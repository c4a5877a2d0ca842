//! `attack`: what does an attacker get out of a release? Every attack of the list for which there is what it needs.
//!
//! The release is read as its readers see it. What an attacker needs besides has to be named: the original
//! (`--against`), a register of the population, another release of the same people. The original also serves to count
//! how often an attack is right. What could not be run is listed with what it needs, so that silence is never taken for
//! safety.
//!
//! `fitting.rs` says which classes fit a person, and `placement.rs` assigns the people of the original to classes, so
//! that attacks can be scored. `public_folder.rs` reads the figures of the manifest and of the page, for the attack
//! that subtracts them. `histories.rs` and `item_sets.rs` read the rows of pseudonyms and the sets of a release.
//! `treated_columns.rs` computes what treatments published of each row of the original.

mod fitting;
mod histories;
mod item_sets;
mod limits;
mod original;
mod placement;
pub(crate) mod public_folder;
mod treated_columns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_core::query::CellColumn;
use incrowd_core::{ClassSizes, Dictionary, FrequencyTable, Kind, Policy, Rule};
use incrowd_engine::{Engine, EngineError, Question, Source};
use incrowd_risk::attack::journalist::Register;
use incrowd_risk::attack::subtraction::PublicFigures;
use incrowd_risk::attack::{
    ATTACKS, AttackMaterial, AttackNotRun, Evaluation, KnownColumns, Likeness, OriginalAtHand, Outcome, Published,
    Threshold, USUAL_THRESHOLD,
};
use incrowd_verify::{ColumnEntry, Manifest, Role, Technique};
use serde::Serialize;

use crate::error::Result;
use crate::exposure::{Basis, Knowledge, PublishedRows, release_reading};
use crate::parameters;
use crate::query::ReleaseView;
use crate::release::OpenedRelease;
use fitting::Fitting;
pub use limits::{AttackVerdict, Judged};

/// What an attacker has besides the release.
#[derive(Default)]
pub struct AttackOptions<'a> {
    /// The table that the release was made from.
    pub against: Option<&'a Source>,
    /// A list of the population that the people of the table are from.
    pub register: Option<&'a Source>,
    /// Another release of the same people.
    pub also: Option<PathBuf>,
    /// Hierarchy files by column, before those of the record.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// The folder of the custodian's record, when it is not beside the release.
    pub record: Option<PathBuf>,
    /// The risk of re-identification from which on a person counts as exposed.
    pub risk: Option<f64>,
    /// The most that attacks may achieve, before what the policy promises about them.
    pub thresholds: Vec<Threshold>,
}

/// What attacks on a release achieved.
#[derive(Clone, Debug, Serialize)]
pub struct Attacked {
    /// The release.
    pub release: String,
    /// Published rows.
    pub rows: u64,
    /// With the original: the share of the published rows for which a person of the original was found who fits.
    /// Attacks that need the truth look at these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed: Option<f64>,
    /// What each attack achieved beside its limit, in the order of the list.
    pub attacks: Vec<Judged>,
    /// Attacks that were not run, with what they need.
    pub not_run: Vec<NotRun>,
    /// How many rows agree on all columns that an attacker could know; for the report.
    #[serde(skip)]
    pub(crate) crowds: ClassSizes,
    /// Which columns these are, and what was counted.
    #[serde(skip)]
    pub(crate) knowledge: Knowledge,
    /// What is above its limit, and limits about which nothing was measured.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What the limits say about all attacks that were run.
    pub verdict: AttackVerdict,
    /// The verdict in words.
    pub verdict_words: String,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// An attack that was not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotRun {
    /// The attack's id.
    pub attack: String,
    /// What it needs, in words.
    pub needs: String,
}

/// A release that is open for attacks.
struct AttackedRelease<'a> {
    engine: &'a Engine,
    release: OpenedRelease,
    view: ReleaseView,
    quasi: Vec<String>,
    sensitive: Vec<String>,
    published: Published,
}

/// Attacks a release.
pub fn attack(engine: &Engine, release: &Path, options: &AttackOptions<'_>) -> Result<Attacked> {
    attack_opened(engine, OpenedRelease::open_with(engine, release, options.record.as_deref())?, options)
}

/// As [`attack`], of a release that is open already.
pub(crate) fn attack_opened(engine: &Engine, release: OpenedRelease, options: &AttackOptions<'_>) -> Result<Attacked> {
    parameters::share("risk", options.risk, false)?;
    parameters::limits(&options.thresholds)?;
    let target = AttackedRelease::open(engine, release, &options.hierarchies)?;
    // In two tables people look as they do in the first, not as their class does.
    let crowds = target.view.crowds(&target.names(&target.quasi));
    let likeness: Vec<Option<Likeness>> = target.sensitive.iter().map(|name| target.likeness(name)).collect();
    let (knowledge, sizes) = target.known(&crowds)?;
    let register = options.register.map(|register| target.register(&crowds, register)).transpose()?;
    let original = original::original(&target, options)?;
    let other_release = original::other_release(&target, options, &original)?;
    let placed = match &original {
        OriginalAtHand::Placed(truth) => Some(truth.placement.share()),
        _ => None,
    };
    let material = AttackMaterial {
        threshold: options.risk.unwrap_or(USUAL_THRESHOLD),
        known_columns: Some(KnownColumns { sizes: sizes.clone(), words: knowledge.words(&target.quasi) }),
        class_column: target.manifest().two_tables.as_ref().map(|two| two.class_column.clone()),
        policy: Some(target.policy()),
        counts_people: target.manifest().counts == incrowd_verify::Counts::People,
        figures: Some(target.figures()),
        histories: histories::histories(&target)?,
        item_sets: item_sets::item_sets(&target)?,
        treated_rows: treated_columns::treated_rows(&target, options)?,
        register,
        original,
        other_release,
        watch: engine.watch(),
        ..AttackMaterial::of_release(&crowds, &target.published, &likeness)
    };
    let recorded: &[Outcome] = match options.against {
        Some(_) => &[],
        // What was measured when the release was made, with the truth at hand.
        None => target.release.record().map(|record| record.attacks.as_slice()).unwrap_or_default(),
    };
    let (attacks, not_run) = run_all(&material, recorded)?;
    let judged = limits::judge(target.manifest(), &options.thresholds, attacks);
    Ok(Attacked {
        release: target.release.folder().display().to_string(),
        rows: target.manifest().rows,
        placed,
        evaluation: judged.evaluation,
        verdict: judged.verdict,
        verdict_words: judged.words,
        attacks: judged.attacks,
        notes: Vec::new(),
        not_run,
        crowds: sizes,
        knowledge,
    })
}

/// Runs every attack of the list for which there is what it needs, in the order of the list. `recorded` are outcomes
/// that were measured before.
fn run_all(material: &AttackMaterial<'_>, recorded: &[Outcome]) -> Result<(Vec<Outcome>, Vec<NotRun>)> {
    let (mut attacks, mut not_run) = (Vec::new(), Vec::new());
    for entry in ATTACKS {
        let before = attacks.len();
        let mut lacks = entry.needs;
        match (entry.run)(material) {
            Ok(outcomes) => attacks.extend(outcomes),
            Err(AttackNotRun::Lacks(need)) => lacks = need,
            Err(AttackNotRun::Stopped) => return Err(EngineError::Cancelled.into()),
        }
        attacks.extend(recorded.iter().filter(|outcome| outcome.attack == entry.id).cloned());
        if attacks.len() == before {
            not_run.push(NotRun { attack: entry.id.into(), needs: lacks.words().into() });
        }
    }
    // Attacks that a later version recorded and that are not known here.
    let is_known = |outcome: &&Outcome| ATTACKS.iter().any(|entry| entry.id == outcome.attack);
    attacks.extend(recorded.iter().filter(|outcome| !is_known(outcome)).cloned());
    Ok((attacks, not_run))
}

impl<'a> AttackedRelease<'a> {
    fn open(
        engine: &'a Engine,
        release: OpenedRelease,
        hierarchies: &BTreeMap<String, PathBuf>,
    ) -> Result<AttackedRelease<'a>> {
        let manifest = release.manifest();
        let (quasi, sensitive) = (manifest.published(Role::QuasiIdentifier), manifest.untreated(Role::Sensitive));
        let names: Vec<&str> = quasi.iter().chain(&sensitive).map(String::as_str).collect();
        let view = ReleaseView::open_with(engine, &release, &names, hierarchies)?;
        let published = view.published(&names[..quasi.len()], &names[quasi.len()..]);
        Ok(AttackedRelease { engine, release, view, quasi, sensitive, published })
    }

    fn manifest(&self) -> &Manifest {
        self.release.manifest()
    }

    /// Which columns an attacker could know beside the quasi-identifiers, and how many rows agree on all of them.
    fn known(&self, crowds: &Published) -> Result<(Knowledge, ClassSizes)> {
        let kept = self.release.record().map(|record| record.keep_identifying.as_slice()).unwrap_or_default();
        // A blank column says nothing; any other treated one says something to those who know its values.
        let is_blank = |name: &String| {
            let mut columns = self.manifest().columns.iter();
            columns.any(|column| column.name == *name && column.treatment.as_deref() == Some("blank"))
        };
        let shown = |role| self.manifest().published(role).into_iter().filter(|name| !is_blank(name));
        let (extra, unknown): (Vec<_>, Vec<_>) = shown(Role::Sensitive).partition(|name| kept.contains(name));
        let known: Vec<String> = shown(Role::Insensitive).chain(extra).collect();
        let mut sizes = ClassSizes::from_sizes(crowds.classes().iter().map(|crowd| crowd.people));
        let mut basis = match self.manifest().counts {
            incrowd_verify::Counts::Rows => Basis::Exact,
            incrowd_verify::Counts::People => Basis::RowsNotPeople,
        };
        if let Some(rows) = self.rows()?.filter(|_| !known.is_empty()) {
            match rows.class_sizes(self.engine, self.quasi.iter().chain(&known))? {
                Some(counted) => sizes = counted,
                None => basis = Basis::NotCounted,
            }
        }
        Ok((Knowledge { known, unknown, basis }, sizes))
    }

    /// The published rows with their quasi-identifiers, open for counting; nothing when the release has no file.
    fn rows(&self) -> Result<Option<PublishedRows>> {
        let files = self.manifest().first_table();
        let Some(first) = files.first() else { return Ok(None) };
        let in_file = |column: &&ColumnEntry| {
            column.technique != Technique::Removed && column.technique != Technique::MovedToSecondTable
        };
        let columns = self.manifest().columns.iter().filter(in_file).map(|column| column.name.clone()).collect();
        let paths: Vec<PathBuf> = files.iter().map(|file| self.release.path(file)).collect();
        PublishedRows::open(self.engine, &paths, release_reading(first), columns).map(Some)
    }

    /// How near the values of a sensitive column are, when they are numbers or days.
    fn likeness(&self, column: &str) -> Option<Likeness> {
        let cells = self.view.cells(column)?;
        let ordered = matches!(cells.kind(), Kind::Integer | Kind::Number | Kind::Date);
        ordered.then(|| Likeness::Order((0..).take(cells.len()).collect()))
    }

    /// How many people of a register fit each class.
    fn register(&self, crowds: &Published, register: &Source) -> Result<Register> {
        let question = Question { quasi_identifiers: self.quasi.clone(), ..Question::default() };
        let table = register.count(self.engine, &question)?.into_table(self.engine)?;
        let fitting = self.fitting(crowds, &table).count(&table);
        Ok(Register { people: table.rows(), fitting })
    }

    /// Everything that the public folder says about suppressed rows.
    fn figures(&self) -> PublicFigures {
        let classes = self.published.classes().iter().map(|class| class.rows).collect();
        let mut told = public_folder::figures(self.manifest(), classes, |name| self.view.cells(name));
        public_folder::add_page(&mut told, self.release.folder(), self.manifest());
        told
    }

    /// The rules of the manifest that are known here.
    fn policy(&self) -> Policy {
        let rule = |rule: &incrowd_verify::Rule| serde_json::from_value::<Rule>(serde_json::to_value(rule).ok()?).ok();
        let policy = &self.manifest().policy;
        let models = policy.models.iter().filter_map(rule).collect();
        let known_rows = policy.known_rows.clone().and_then(|known| serde_json::from_value(known).ok());
        Policy { models, suppression: policy.suppression, known_rows, ..Policy::default() }
    }

    /// Which classes fit people of a table whose first columns are the quasi-identifiers.
    fn fitting<'c>(&self, published: &'c Published, table: &FrequencyTable) -> Fitting<'c> {
        let named = self.quasi.iter().zip(table.attributes());
        let known: Vec<(&CellColumn, &Dictionary)> =
            named.filter_map(|(name, attribute)| Some((self.view.cells(name)?, &attribute.dictionary))).collect();
        Fitting::new(published.classes(), &known)
    }

    fn names<'n>(&self, names: &'n [String]) -> Vec<&'n str> {
        names.iter().map(String::as_str).collect()
    }
}
