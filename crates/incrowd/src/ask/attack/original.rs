//! The original beside a release, for attacks that need it or are scored with it.

use incrowd_engine::Source;
use incrowd_risk::attack::{ColumnNodes, GeneralizedColumn, OriginalAtHand, OtherRelease, Placement, RowOrders, Truth};

use super::placement::placement;
use super::{AttackOptions, AttackedRelease};
use crate::error::Result;
use crate::query::{Hierarchies, published_rows};
use crate::release::OpenedRelease;

/// What the original says about a release, when it was named.
pub(super) fn original(target: &AttackedRelease<'_>, options: &AttackOptions<'_>) -> Result<OriginalAtHand> {
    let Some(original) = options.against else { return Ok(OriginalAtHand::NotGiven) };
    let Some(placement) = placement(target, original)? else { return Ok(OriginalAtHand::NotPlaced) };
    let columns = columns(target, options, &placement)?;
    let orders = orders(target, original, &placement)?;
    Ok(OriginalAtHand::Placed(Box::new(Truth { placement, columns, orders })))
}

/// The people of the original in the other release, when both were named.
pub(super) fn other_release(
    target: &AttackedRelease<'_>,
    options: &AttackOptions<'_>,
    original: &OriginalAtHand,
) -> Result<OtherRelease> {
    let Some(also) = &options.also else { return Ok(OtherRelease::NotGiven) };
    let (Some(source), OriginalAtHand::Placed(_)) = (options.against, original) else {
        return Ok(OtherRelease::NotPlaced);
    };
    let also = OpenedRelease::open_with(target.engine, also, None)?;
    let other = AttackedRelease::open(target.engine, also, &options.hierarchies)?;
    Ok(match placement(&other, source)? {
        Some(placement) => OtherRelease::Placed(Box::new(placement)),
        None => OtherRelease::NotPlaced,
    })
}

/// The quasi-identifiers as they are published, with the hierarchies of those that have one; nothing of two tables,
/// where they are published as they are.
fn columns(
    target: &AttackedRelease<'_>,
    options: &AttackOptions<'_>,
    placement: &Placement,
) -> Result<Vec<GeneralizedColumn>> {
    if target.manifest().two_tables.is_some() {
        return Ok(Vec::new());
    }
    let record = target.release.record().cloned();
    let hierarchies = Hierarchies { record, named: &options.hierarchies, memory: None };
    let column = |(at, name): (usize, &String)| -> Result<GeneralizedColumn> {
        let labels = target.view.labels(name);
        let dictionary = &placement.table.attributes()[at].dictionary;
        let nodes = hierarchies.of(name)?.map(|(hierarchy, _)| ColumnNodes::new(hierarchy, &labels, dictionary));
        Ok(GeneralizedColumn { labels, nodes })
    };
    target.quasi.iter().enumerate().map(column).collect()
}

/// In which order the rows of the original and of the release stand.
fn orders(target: &AttackedRelease<'_>, original: &Source, placement: &Placement) -> Result<RowOrders> {
    let names: Vec<String> = target.quasi.iter().chain(&target.sensitive).cloned().collect();
    let rows = original.rows_in_order(target.engine, &names)?;
    let published = published_rows(target.engine, &target.release, &target.names(&target.quasi))?;
    Ok(RowOrders::new(placement, &rows.codes, published.as_deref()))
}
