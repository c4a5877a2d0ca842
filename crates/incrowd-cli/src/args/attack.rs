//! The arguments of `incrowd attack`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use incrowd::risk::attack::Threshold;

use super::parse::{limit, positive_share};
use super::shared::AskArgs;

#[derive(Debug, Args)]
pub(crate) struct AttackArgs {
    /// Release
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) release: PathBuf,
    /// Original table; enables attacks that need it and measures how often the other attacks are right
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) against: Option<String>,
    /// Population register with the same quasi-identifier columns
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) register: Option<String>,
    /// Another release of the same people
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "against")]
    pub(crate) also: Option<PathBuf>,
    /// Folder of the internal record [default: NAME.internal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) record: Option<PathBuf>,
    /// Risk above which a person counts as exposed [default: 0.09]
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    pub(crate) risk: Option<f64>,
    /// Maximum success rate of an attack, or maximum of one of its figures, such as learning=0.4 or
    /// prosecutor.mean=0.05 [default: from the plan, otherwise the limit that the policy implies] (may be repeated)
    #[arg(long = "limit", value_name = "ATTACK[.FIGURE]=MAX", value_parser = limit)]
    pub(crate) limits: Vec<Threshold>,
    /// Plan with limits for attacks
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}
