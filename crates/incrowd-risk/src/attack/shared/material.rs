//! What an attacker has at hand, and what an attack may lack.

use incrowd_core::{ClassSizes, Policy, Stopped, Watch};

use super::super::journalist::Register;
use super::super::known_items::PublishedSets;
use super::super::partial_history::PublishedHistories;
use super::super::record_linkage::TreatedRows;
use super::super::similarity::Likeness;
use super::super::subtraction::PublicFigures;
use super::placement::Placement;
use super::published::Published;
use super::risks::USUAL_THRESHOLD;
use super::truth::Truth;

/// Everything that an attack may be given, as plain data. Only the release is always there; the caller fills in what
/// was named besides. An attack takes what its attacker knows; the truth may serve to count how often it is right.
pub struct AttackMaterial<'a> {
    /// People with equal published quasi-identifiers: in one table, the classes themselves.
    pub crowds: &'a Published,
    /// The classes with their sensitive values.
    pub published: &'a Published,
    /// How near the values of each sensitive column are, where that is known.
    pub likeness: &'a [Option<Likeness>],
    /// The risk of re-identification from which on a person counts as exposed.
    pub threshold: f64,
    /// How many rows agree on all columns that an attacker could know, when these are counted.
    pub known_columns: Option<KnownColumns>,
    /// The column of class ids, when the release is in two tables.
    pub class_column: Option<String>,
    /// What the release promises, when it can be read.
    pub policy: Option<Policy>,
    /// Whether the policy counts people, who may have several rows.
    pub counts_people: bool,
    /// Every figure of the public folder that depends on how many rows were suppressed.
    pub figures: Option<PublicFigures>,
    /// The rows of each pseudonym of people, when these are published.
    pub histories: Option<PublishedHistories>,
    /// The columns that are published as sets of items.
    pub item_sets: Vec<PublishedSets>,
    /// The rows of treated columns and the people who are looked for, or what is missing for that.
    pub treated_rows: Result<Box<TreatedRows>, AttackNeed>,
    /// A list of the population.
    pub register: Option<Register>,
    /// The table that the release was made of.
    pub original: OriginalAtHand,
    /// Another release of the same people.
    pub other_release: OtherRelease,
    /// Stops attacks that take long.
    pub watch: Watch,
}

/// What the attackers who look for people count on.
pub struct KnownColumns {
    /// How many rows, or people, agree on all columns that an attacker could know.
    pub sizes: ClassSizes,
    /// Which columns that are, and what was counted, in sentences for a person; each begins with a space.
    pub words: String,
}

/// The original, as far as it is at hand.
pub enum OriginalAtHand {
    /// It was not named.
    NotGiven,
    /// Its people cannot be placed into the classes of the release.
    NotPlaced,
    /// It is there.
    Placed(Box<Truth>),
}

/// Another release of the same people, as far as it is at hand.
pub enum OtherRelease {
    /// It was not named.
    NotGiven,
    /// It cannot be compared: the original is not there, or its people cannot be placed.
    NotPlaced,
    /// The people of the original in the classes of the other release.
    Placed(Box<Placement>),
}

impl<'a> AttackMaterial<'a> {
    /// The release and nothing else.
    pub fn of_release(crowds: &'a Published, published: &'a Published, likeness: &'a [Option<Likeness>]) -> Self {
        AttackMaterial {
            crowds,
            published,
            likeness,
            threshold: USUAL_THRESHOLD,
            known_columns: None,
            class_column: None,
            policy: None,
            counts_people: false,
            figures: None,
            histories: None,
            item_sets: Vec::new(),
            treated_rows: Err(AttackNeed::TreatedColumns),
            register: None,
            original: OriginalAtHand::NotGiven,
            other_release: OtherRelease::NotGiven,
            watch: Watch::default(),
        }
    }

    /// The sizes of the classes that an attacker who looks for people sees, and what to say about them.
    pub(in crate::attack) fn known_sizes(&self) -> (ClassSizes, &str) {
        match &self.known_columns {
            Some(known) => (known.sizes.clone(), known.words.as_str()),
            None => (ClassSizes::from_sizes(self.crowds.classes().iter().map(|class| class.people)), ""),
        }
    }

    /// The sensitive columns, by their places.
    pub(in crate::attack) fn sensitive(&self) -> std::ops::Range<usize> {
        0..self.published.sensitive().len()
    }

    /// The truth, when the original is there.
    pub(in crate::attack) fn truth(&self) -> Result<Option<&Truth>, AttackNeed> {
        match &self.original {
            OriginalAtHand::NotGiven => Ok(None),
            OriginalAtHand::NotPlaced => Err(AttackNeed::SmallOriginal),
            OriginalAtHand::Placed(truth) => Ok(Some(truth)),
        }
    }

    /// The truth about a release in one table.
    pub(in crate::attack) fn truth_of_one_table(&self) -> Result<&Truth, AttackNeed> {
        let truth = self.truth()?;
        if self.class_column.is_some() {
            return Err(AttackNeed::OneTable);
        }
        truth.ok_or(AttackNeed::Original)
    }

    /// The truth about a release in two tables, and the column of its class ids.
    pub(in crate::attack) fn truth_of_two_tables(&self) -> Result<(&Truth, &str), AttackNeed> {
        let truth = self.truth()?;
        let column = self.class_column.as_deref().ok_or(AttackNeed::TwoTables)?;
        Ok((truth.ok_or(AttackNeed::Original)?, column))
    }

    /// The largest k that the policy asks for; 1 when it asks for none.
    pub(in crate::attack) fn k(&self) -> u64 {
        self.policy.as_ref().map_or(1, Policy::k)
    }
}

/// Something that an attack needs beside the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackNeed {
    /// Nothing.
    Nothing,
    /// A sensitive column.
    SensitiveColumn,
    /// The table that the release was made of.
    Original,
    /// An original whose people can be placed into the classes of the release.
    SmallOriginal,
    /// A list of the population.
    Register,
    /// A second release about the same people.
    OtherRelease,
    /// The original, and a second release whose columns are those of the first.
    SameColumns,
    /// What the manifest of the release says of suppressed rows.
    Manifest,
    /// A release in two tables.
    TwoTables,
    /// A release in one table.
    OneTable,
    /// A sensitive column whose values have an order.
    OrderedValues,
    /// A rule about the share of a sensitive value.
    AlphaRule,
    /// Published pseudonyms of people.
    Pseudonyms,
    /// A column that is published as sets of items.
    ItemSets,
    /// A treated column whose cells say something about its values.
    TreatedColumns,
    /// The keys and groups with which columns were treated.
    InternalRecord,
    /// Rows that fit in the memory allowed.
    RowsInMemory,
}

impl AttackNeed {
    /// Whether the rows of a release are enough, if it has the columns.
    pub fn is_in_release(self) -> bool {
        matches!(self, AttackNeed::Nothing | AttackNeed::SensitiveColumn | AttackNeed::OrderedValues)
    }

    /// The words for it, after "needs".
    pub fn words(self) -> &'static str {
        match self {
            AttackNeed::Nothing => "nothing",
            AttackNeed::SensitiveColumn => "a sensitive column",
            AttackNeed::Original => "the original",
            AttackNeed::SmallOriginal => {
                "an original of at most 1,000,000 distinct rows, whose sensitive values are those of the release"
            }
            AttackNeed::Register => "a register",
            AttackNeed::OtherRelease => "another release",
            AttackNeed::SameColumns => "the original, and another release of the same columns",
            AttackNeed::Manifest => "the manifest",
            AttackNeed::TwoTables => "a release in two tables",
            AttackNeed::OneTable => "a release in one table",
            AttackNeed::OrderedValues => "a sensitive column of numbers or dates",
            AttackNeed::AlphaRule => "an α rule on a sensitive column",
            AttackNeed::Pseudonyms => "published pseudonyms of the subject",
            AttackNeed::ItemSets => "a column that is published as sets of items",
            AttackNeed::TreatedColumns => "a treated column that is neither blank nor pseudonyms",
            AttackNeed::InternalRecord => "the internal record of the release",
            AttackNeed::RowsInMemory => "more memory for the rows of the original",
        }
    }
}

/// Why an attack was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackNotRun {
    /// Something is not at hand.
    Lacks(AttackNeed),
    /// The work was stopped.
    Stopped,
}

impl From<AttackNeed> for AttackNotRun {
    fn from(need: AttackNeed) -> AttackNotRun {
        AttackNotRun::Lacks(need)
    }
}

impl From<Stopped> for AttackNotRun {
    fn from(_: Stopped) -> AttackNotRun {
        AttackNotRun::Stopped
    }
}
