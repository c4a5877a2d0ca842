//! How danger grows with the number of columns: of all sets of each size, those above a dangerous one, those below a
//! safe one, and the rest. It follows from the two borders of the lattice, so it tells no more than they do.

use crate::dossier::ColumnSets;
use incrowd_core::{Role, thousands};
use maud::html;

use super::{label, rect};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::view::View;

/// Beyond this many columns there are too many sets to look at one by one.
const MOST_COLUMNS: usize = 16;
const ROW: f64 = 22.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 104.0;

/// Sets of one size.
#[derive(Clone, Copy, Default)]
struct Layer {
    dangerous: u64,
    safe: u64,
    unknown: u64,
}

impl Layer {
    fn total(self) -> u64 {
        self.dangerous + self.safe + self.unknown
    }
}

/// Nothing when there are no sets, or too many columns.
pub(crate) fn figure(view: &View<'_>, sets: &ColumnSets) -> Option<Picture> {
    let declared = view.public.data.columns.iter().filter(|column| column.role == Role::QuasiIdentifier);
    let mut columns: Vec<&str> = declared.map(|column| column.name.as_str()).collect();
    for column in sets.dangerous.iter().chain(&sets.safe).flatten() {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    if columns.is_empty() || columns.len() > MOST_COLUMNS || (sets.dangerous.is_empty() && sets.safe.is_empty()) {
        return None;
    }
    let layers = layers(&columns, sets);
    let foot = ROW * layers.len() as f64;
    let wide = RIGHT - LEFT;
    let drawing = html! {
        @for (at, layer) in layers.iter().enumerate() {
            @let y = ROW * at as f64;
            @let part = |count: u64| count as f64 / layer.total().max(1) as f64 * wide;
            (label(0.0, y + 13.0, "tick", &incrowd_core::counted(at as u64 + 1, "column", "columns")))
            (rect(LEFT, y + 2.0, wide, 15.0, "track"))
            (rect(LEFT, y + 2.0, part(layer.dangerous), 15.0, "danger-bar"))
            (rect(LEFT + part(layer.dangerous) + part(layer.unknown), y + 2.0, part(layer.safe), 15.0, "safe-bar"))
            (label(WIDTH, y + 13.0, "number end", &format!("{} of {}", thousands(layer.dangerous),
                thousands(layer.total()))))
        }
        (rect(LEFT, foot + 6.0, 12.0, 10.0, "danger-bar"))
        (label(LEFT + 18.0, foot + 15.0, "tick", "dangerous"))
        (rect(LEFT + 96.0, foot + 6.0, 12.0, 10.0, "safe-bar"))
        (label(LEFT + 114.0, foot + 15.0, "tick", "safe"))
        (rect(LEFT + 156.0, foot + 6.0, 12.0, 10.0, "track"))
        (label(LEFT + 174.0, foot + 15.0, "tick", "unknown"))
    };
    let rows = layers.iter().enumerate().map(|(at, layer)| {
        let [dangerous, safe, unknown] =
            [layer.dangerous, layer.safe, layer.unknown].map(|count| cell(thousands(count)));
        [cell((at + 1).to_string()), dangerous, safe, unknown]
    });
    let all =
        layers.iter().fold((0, 0), |(dangerous, total), layer| (dangerous + layer.dangerous, total + layer.total()));
    Some(Picture {
        id: "picture-layers",
        title: "Risk by number of known columns".into(),
        sentence: html! {
            "Of all " (thousands(all.1)) " sets of the " (columns.len()) " quasi-identifiers, " (thousands(all.0))
            " have classes smaller than " (sets.k) ": the more columns an attacker knows, the smaller the classes."
        },
        description: format!("A stacked bar for each of {} sizes of sets: dangerous, unknown, safe.", layers.len()),
        height: foot + 22.0,
        drawing,
        data: DataTable::new(["columns in the set", "dangerous", "safe", "unknown"], rows),
    })
}

fn layers(columns: &[&str], sets: &ColumnSets) -> Vec<Layer> {
    let mask = |set: &Vec<String>| {
        let bit =
            |column: &String| columns.iter().position(|known| *known == column.as_str()).map_or(0, |at| 1u32 << at);
        set.iter().map(bit).fold(0, |mask, bit| mask | bit)
    };
    let dangerous: Vec<u32> = sets.dangerous.iter().map(mask).collect();
    let safe: Vec<u32> = sets.safe.iter().map(mask).collect();
    let mut layers = vec![Layer::default(); columns.len()];
    for set in 1u32..1 << columns.len() {
        let layer = &mut layers[set.count_ones() as usize - 1];
        if dangerous.iter().any(|&least| least & !set == 0) {
            layer.dangerous += 1;
        } else if safe.iter().any(|&most| set & !most == 0) {
            layer.safe += 1;
        } else {
            layer.unknown += 1;
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use crate::dossier::Standing;

    use super::*;

    /// Of {a, b, c} with {a} dangerous and {b, c} safe: a, ab, ac, abc are dangerous, the rest is safe.
    #[test]
    fn every_set_above_a_dangerous_one_is_dangerous() {
        let set = |names: &[&str]| names.iter().map(|name| String::from(*name)).collect::<Vec<_>>();
        let (dangerous, safe) = (vec![set(&["a"])], vec![set(&["b", "c"])]);
        let (standing, not_searched) = (Standing::Fails, vec![]);
        let sets = ColumnSets { k: 2, standing, dangerous, safe, complete: true, not_searched, measured: 3 };
        let counts = layers(&["a", "b", "c"], &sets)
            .iter()
            .map(|layer| (layer.dangerous, layer.safe, layer.unknown))
            .collect::<Vec<_>>();
        assert_eq!(counts, [(1, 2, 0), (2, 1, 0), (1, 0, 0)]);
    }
}
