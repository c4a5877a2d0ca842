//! The text of a file with all its mutants.
//!
//! Marks that no source contains stand around the text of each mutant while it is put together; in the end they become ranges
//! of bytes, by which an error of the compiler is traced to its mutant.

use crate::change::{Change, Edit, Part};
use std::collections::HashMap;

const OPEN: char = '\u{1}';
const NAMED: char = '\u{2}';
const CLOSE: char = '\u{3}';

/// The rewritten text, and for each mutant the bytes that belong to it. `form` says how a mutant is written.
pub fn file(text: &str, edits: &[Edit], form: &dyn Fn(u32) -> u8) -> (String, HashMap<u32, Vec<Part>>) {
    let mut order: Vec<&Edit> = edits.iter().collect();
    // What is around comes before what is inside; of equal parts the one that was found first.
    order.sort_by_key(|edit| (edit.part.0, std::cmp::Reverse(edit.part.1)));
    let marked = Writer { text, edits: &order, form }.part((0, text.len()), 0);
    without_marks(&marked)
}

fn without_marks(marked: &str) -> (String, HashMap<u32, Vec<Part>>) {
    let (mut plain, mut ranges, mut open) = (String::new(), HashMap::<u32, Vec<Part>>::new(), Vec::new());
    let mut rest = marked;
    while let Some(at) = rest.find([OPEN, CLOSE]) {
        plain.push_str(&rest[..at]);
        if rest[at..].starts_with(OPEN) {
            let end = at + rest[at..].find(NAMED).expect("a mark has an end");
            let id: u32 = rest[at + 1..end].parse().expect("a mark has a number");
            open.push((id, plain.len()));
            rest = &rest[end + 1..];
        } else {
            let (id, start) = open.pop().expect("a mark was opened");
            ranges.entry(id).or_default().push((start, plain.len()));
            rest = &rest[at + 1..];
        }
    }
    plain.push_str(rest);
    (plain, ranges)
}

fn on(id: u32) -> String {
    format!("crate::mutant::on({id})")
}

fn marked(id: u32, text: &str) -> String {
    format!("{OPEN}{id}{NAMED}{text}{CLOSE}")
}

struct Writer<'a> {
    text: &'a str,
    edits: &'a [&'a Edit],
    form: &'a dyn Fn(u32) -> u8,
}

impl Writer<'_> {
    /// The text of a part with the edits from a certain one on.
    fn part(&self, (from, to): Part, first: usize) -> String {
        let (mut out, mut at) = (String::new(), from);
        for (number, edit) in self.edits.iter().enumerate().skip(first) {
            let (start, end) = edit.part;
            if start >= to && start > from {
                break;
            }
            if start < at || end > to {
                continue;
            }
            out.push_str(&self.text[at..start]);
            out.push_str(&self.edit(edit, number + 1));
            at = end;
        }
        out + &self.text[at..to]
    }

    fn edit(&self, edit: &Edit, next: usize) -> String {
        let alive: Vec<_> = edit.mutants.iter().filter(|mutant| (self.form)(mutant.id) < 2).collect();
        let whole = self.part(edit.part, next);
        let Some(first) = alive.first() else { return whole };
        let repeat = alive.iter().any(|mutant| (self.form)(mutant.id) == 1);
        let old = edit.mutants[0].from.as_str();
        let choose = |left: &str, right: &str| {
            let mut out = String::new();
            for mutant in &alive {
                let other = marked(mutant.id, &format!("{left} {} {right}", mutant.to));
                out += &format!("if {} {{ {other} }} else ", on(mutant.id));
            }
            marked(first.id, &format!("{out}{{ {left} {old} {right} }}"))
        };
        match &edit.change {
            Change::Compare { left, right } | Change::Arithmetic { left, right } if repeat => {
                format!("({})", choose(&self.operand(*left, next), &self.operand(*right, next)))
            }
            Change::Compare { left, right } => {
                let operands = format!("&{}, &{}", self.operand(*left, next), self.operand(*right, next));
                marked(
                    first.id,
                    &format!("(match ({operands}) {{ (mutant_l, mutant_r) => {} }})", choose("*mutant_l", "*mutant_r")),
                )
            }
            Change::Arithmetic { left, right } => {
                let operands = format!("{}, {}", self.operand(*left, next), self.operand(*right, next));
                marked(
                    first.id,
                    &format!("(match ({operands}) {{ (mutant_l, mutant_r) => {} }})", choose("mutant_l", "mutant_r")),
                )
            }
            Change::Logic { left, right } => {
                let (left, right, m) = (self.operand(*left, next), self.operand(*right, next), on(first.id));
                marked(first.id, &format!("(((({left} ^ {m}) {old} ({right} ^ {m}))) ^ {m})"))
            }
            Change::Assign { left, right } if repeat => {
                format!("({})", choose(&self.part(*left, next), &self.operand(*right, next)))
            }
            Change::Assign { left, right } => {
                let choice = choose(&self.part(*left, next), "mutant_r");
                marked(first.id, &format!("(match {} {{ mutant_r => {choice} }})", self.operand(*right, next)))
            }
            Change::Unary { operand } => {
                let operand = self.operand(*operand, next);
                let choice = format!("if {} {{ mutant_v }} else {{ {old}mutant_v }}", on(first.id));
                marked(first.id, &format!("(match {operand} {{ mutant_v => {choice} }})"))
            }
            Change::Method { name } => {
                let (start, end) = edit.part;
                let after = self.part((name.1, end), next);
                let before = self.part((start, name.0), next);
                let other = marked(first.id, &format!("{before}{}{after}", first.to.trim_start_matches('.')));
                format!("(if {} {{ {other} }} else {{ {whole} }})", on(first.id))
            }
            Change::Truth if old == "true" => format!("(!{})", on(first.id)),
            Change::Truth => format!("({})", on(first.id)),
            Change::Negate => marked(first.id, &format!("(({whole}) ^ {})", on(first.id))),
            Change::Guard => marked(first.id, &format!("({} || ({whole}))", on(first.id))),
            Change::Arm { guarded: true } => marked(first.id, &format!("(!{} && ({whole}))", on(first.id))),
            Change::Arm { guarded: false } => marked(first.id, &format!("{whole} if !{}", on(first.id))),
            Change::Gone => marked(first.id, &format!("if !{} {{ {whole} }}", on(first.id))),
            Change::Body => alive
                .iter()
                .map(|mutant| marked(mutant.id, &format!(" if {} {{ return {}; }}", on(mutant.id), mutant.to)))
                .collect(),
        }
    }

    fn operand(&self, part: Part, next: usize) -> String {
        format!("({})", self.part(part, next))
    }
}
