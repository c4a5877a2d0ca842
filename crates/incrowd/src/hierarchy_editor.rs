//! A hierarchy that is changed step by step, with undo.
//!
//! The leaves are the values of the column and stay; the nodes above them are renamed, moved, grouped, merged and
//! dissolved. Every state can be written in the field's file form, in which all lines have the same length: a node stands
//! on the lowest level above its highest child, and is repeated up to its parent.

use incrowd_core::{Hierarchy, HierarchyError};

/// The number of a node of an edited hierarchy; it stays the same while the node exists.
pub type NodeId = usize;

/// The most steps that can be undone.
const MOST_STEPS: usize = 100;

/// A hierarchy that is being changed.
#[derive(Clone, Debug)]
pub struct HierarchyEditor {
    tree: Tree,
    undone: Vec<Tree>,
    done: Vec<Tree>,
}

/// A node as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedNode {
    /// Its label; empty for the leaf of the missing value.
    pub label: String,
    /// The node above it; none for the root.
    pub parent: Option<NodeId>,
    /// The nodes below it.
    pub children: Vec<NodeId>,
    /// Whether it is a value of the column.
    pub is_value: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tree {
    /// Nodes that were removed are empty places.
    nodes: Vec<Option<EditedNode>>,
    root: NodeId,
}

/// Why a step was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The node is not there.
    #[error("the node does not exist any more")]
    NoSuchNode,
    /// Nodes of different parents cannot be grouped or merged.
    #[error("only nodes with the same parent can be grouped or merged")]
    NotSiblings,
    /// A value of the table keeps its name and has nothing below it.
    #[error("a value of the table can be moved and grouped, but not renamed, merged or dissolved")]
    IsValue,
    /// The root stands above all.
    #[error("the root cannot be moved, merged or dissolved")]
    IsRoot,
    /// A node cannot be moved below itself, or below a value.
    #[error("a node can be moved only to a node that is neither a value nor below it")]
    NotBelowItself,
    /// A label is needed, and it has to differ from those beside it.
    #[error("the label is empty or already used by a node with the same parent")]
    LabelTaken,
}

impl HierarchyEditor {
    /// Begins with a hierarchy.
    ///
    /// ```
    /// use incrowd::{HierarchyEditor, core::Hierarchy};
    /// let towns = Hierarchy::read("Bonn;*\nGraz;*\nUlm;*\n")?;
    /// let mut editor = HierarchyEditor::new(&towns);
    /// let german: Vec<usize> = ["Bonn", "Ulm"].iter().filter_map(|town| editor.find(town)).collect();
    /// editor.group(&german, "Germany").expect("siblings");
    /// assert_eq!(editor.text(), "Graz;Graz;*\nBonn;Germany;*\nUlm;Germany;*\n");
    /// editor.undo();
    /// assert_eq!(editor.hierarchy()?, towns);
    /// # Ok::<(), incrowd::core::HierarchyError>(())
    /// ```
    pub fn new(hierarchy: &Hierarchy) -> HierarchyEditor {
        let mut nodes: Vec<Option<EditedNode>> = Vec::with_capacity(hierarchy.nodes().len());
        for (id, node) in hierarchy.nodes().iter().enumerate() {
            let parent = node.parent().map(|parent| parent as usize);
            if let Some(Some(parent)) = parent.and_then(|parent| nodes.get_mut(parent)) {
                parent.children.push(id);
            }
            let is_value = node.level() == 0;
            nodes.push(Some(EditedNode { label: node.label().into(), parent, children: vec![], is_value }));
        }
        HierarchyEditor { tree: Tree { nodes, root: 0 }, undone: vec![], done: vec![] }
    }

    /// The number of the root.
    pub fn root(&self) -> NodeId {
        self.tree.root
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&EditedNode> {
        self.tree.nodes.get(id)?.as_ref()
    }

    /// A node with this label.
    pub fn find(&self, label: &str) -> Option<NodeId> {
        self.tree.nodes.iter().position(|node| node.as_ref().is_some_and(|node| node.label == label))
    }

    /// Whether a step can be undone.
    pub fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    /// Whether an undone step can be taken again.
    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        if let Some(before) = self.done.pop() {
            self.undone.push(std::mem::replace(&mut self.tree, before));
        }
    }

    /// Takes the last undone step again.
    pub fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.done.push(std::mem::replace(&mut self.tree, after));
        }
    }

    /// Gives a node another label.
    pub fn rename(&mut self, node: NodeId, label: &str) -> Result<(), EditError> {
        self.step(|tree| {
            let renamed = tree.get(node)?;
            if renamed.is_value {
                return Err(EditError::IsValue);
            }
            tree.check_label(renamed.parent, label, &[node])?;
            tree.get_mut(node)?.label = label.into();
            Ok(())
        })
    }

    /// Moves nodes below another one.
    pub fn move_to(&mut self, nodes: &[NodeId], to: NodeId) -> Result<(), EditError> {
        self.step(|tree| {
            for &node in nodes {
                if node == tree.root {
                    return Err(EditError::IsRoot);
                }
                if tree.get(to)?.is_value || tree.is_below(to, node)? {
                    return Err(EditError::NotBelowItself);
                }
                let label = tree.get(node)?.label.clone();
                tree.check_label(Some(to), &label, &[node])?;
                tree.attach(node, to)?;
            }
            tree.remove_empty()
        })
    }

    /// Puts a new node above siblings.
    pub fn group(&mut self, nodes: &[NodeId], label: &str) -> Result<(), EditError> {
        self.step(|tree| {
            let parent = tree.parent_of_all(nodes)?;
            tree.check_label(Some(parent), label, &[])?;
            let group = tree.nodes.len();
            let node = EditedNode { label: label.into(), parent: Some(parent), children: vec![], is_value: false };
            tree.nodes.push(Some(node));
            tree.get_mut(parent)?.children.push(group);
            nodes.iter().try_for_each(|&node| tree.attach(node, group))
        })
    }

    /// Makes siblings one node that has the nodes below all of them.
    pub fn merge(&mut self, nodes: &[NodeId], label: &str) -> Result<(), EditError> {
        self.step(|tree| {
            let parent = tree.parent_of_all(nodes)?;
            let Some((&first, others)) = nodes.split_first() else { return Err(EditError::NoSuchNode) };
            for &node in nodes {
                if tree.get(node)?.is_value {
                    return Err(EditError::IsValue);
                }
            }
            tree.check_label(Some(parent), label, nodes)?;
            tree.get_mut(first)?.label = label.into();
            for &other in others {
                for child in tree.get(other)?.children.clone() {
                    tree.attach(child, first)?;
                }
                tree.detach(other)?;
                tree.nodes[other] = None;
            }
            Ok(())
        })
    }

    /// Removes a node; what is below it goes to its parent.
    pub fn dissolve(&mut self, node: NodeId) -> Result<(), EditError> {
        self.step(|tree| {
            let dissolved = tree.get(node)?.clone();
            let Some(parent) = dissolved.parent else { return Err(EditError::IsRoot) };
            if dissolved.is_value {
                return Err(EditError::IsValue);
            }
            dissolved.children.iter().try_for_each(|&child| tree.attach(child, parent))?;
            tree.detach(node)?;
            tree.nodes[node] = None;
            Ok(())
        })
    }

    /// Takes a step on a copy, so that one that fails changes nothing.
    fn step(&mut self, change: impl FnOnce(&mut Tree) -> Result<(), EditError>) -> Result<(), EditError> {
        let mut changed = self.tree.clone();
        change(&mut changed)?;
        if self.done.len() == MOST_STEPS {
            self.done.remove(0);
        }
        self.done.push(std::mem::replace(&mut self.tree, changed));
        self.undone.clear();
        Ok(())
    }

    /// The hierarchy in the field's file form.
    pub fn text(&self) -> String {
        let mut levels = vec![0; self.tree.nodes.len()];
        let height = self.tree.level(self.tree.root, &mut levels);
        let mut text = String::new();
        let mut path = Vec::new();
        self.tree.write(self.tree.root, height, &levels, &mut path, &mut text);
        text
    }

    /// The hierarchy, unless two labels cannot be distinguished.
    pub fn hierarchy(&self) -> Result<Hierarchy, HierarchyError> {
        Hierarchy::read_with(&self.text(), incrowd_core::HierarchyReadOptions { separator: Some(';'), ragged: false })
    }
}

impl Tree {
    fn get(&self, id: NodeId) -> Result<&EditedNode, EditError> {
        self.nodes.get(id).and_then(Option::as_ref).ok_or(EditError::NoSuchNode)
    }

    fn get_mut(&mut self, id: NodeId) -> Result<&mut EditedNode, EditError> {
        self.nodes.get_mut(id).and_then(Option::as_mut).ok_or(EditError::NoSuchNode)
    }

    fn is_below(&self, node: NodeId, above: NodeId) -> Result<bool, EditError> {
        let mut at = Some(node);
        while let Some(id) = at {
            if id == above {
                return Ok(true);
            }
            at = self.get(id)?.parent;
        }
        Ok(false)
    }

    fn detach(&mut self, node: NodeId) -> Result<(), EditError> {
        if let Some(parent) = self.get(node)?.parent {
            self.get_mut(parent)?.children.retain(|&child| child != node);
        }
        Ok(())
    }

    fn attach(&mut self, node: NodeId, to: NodeId) -> Result<(), EditError> {
        self.detach(node)?;
        self.get_mut(node)?.parent = Some(to);
        self.get_mut(to)?.children.push(node);
        Ok(())
    }

    fn parent_of_all(&self, nodes: &[NodeId]) -> Result<NodeId, EditError> {
        let mut parents = nodes.iter().map(|&node| self.get(node).map(|node| node.parent));
        let first = parents.next().ok_or(EditError::NoSuchNode)??.ok_or(EditError::IsRoot)?;
        for parent in parents {
            if parent? != Some(first) {
                return Err(EditError::NotSiblings);
            }
        }
        Ok(first)
    }

    /// Refuses a label that a sibling has already.
    fn check_label(&self, parent: Option<NodeId>, label: &str, but: &[NodeId]) -> Result<(), EditError> {
        let siblings = parent.map(|parent| self.get(parent)).transpose()?.map_or(&[][..], |parent| &parent.children);
        let taken = siblings
            .iter()
            .filter(|id| !but.contains(id))
            .any(|&id| self.get(id).is_ok_and(|node| node.label == label));
        if label.is_empty() || taken { Err(EditError::LabelTaken) } else { Ok(()) }
    }

    /// Removes nodes that have lost all that was below them, and then those above that have.
    fn remove_empty(&mut self) -> Result<(), EditError> {
        let is_empty = |node: &Option<EditedNode>| {
            node.as_ref().is_some_and(|node| !node.is_value && node.children.is_empty() && node.parent.is_some())
        };
        while let Some(id) = self.nodes.iter().position(is_empty) {
            self.detach(id)?;
            self.nodes[id] = None;
        }
        Ok(())
    }

    /// The level of a node: one above the highest below it.
    fn level(&self, id: NodeId, levels: &mut [usize]) -> usize {
        let children = self.nodes[id].as_ref().map_or(&[][..], |node| &node.children);
        let level = children.iter().map(|&child| self.level(child, levels) + 1).max().unwrap_or(0);
        levels[id] = level;
        level
    }

    fn write(&self, id: NodeId, height: usize, levels: &[usize], path: &mut Vec<NodeId>, text: &mut String) {
        let Some(node) = self.nodes[id].as_ref() else { return };
        path.push(id);
        if node.is_value {
            for level in 0..=height {
                // The highest node of the path that stands on this level or below it.
                let standing = path.iter().find(|&&id| levels[id] <= level).copied().unwrap_or(id);
                let label = self.nodes[standing].as_ref().map_or("", |node| &node.label);
                if level > 0 {
                    text.push(';');
                }
                push_cell(text, label);
            }
            text.push('\n');
        }
        for &child in &node.children {
            self.write(child, height, levels, path, text);
        }
        path.pop();
    }
}

/// A cell, quoted where the file form needs it.
fn push_cell(text: &mut String, label: &str) {
    if label.contains([';', '"', '\n', '\r', '\u{feff}']) {
        text.push_str(&format!("\"{}\"", label.replace('"', "\"\"")));
    } else {
        text.push_str(label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor() -> HierarchyEditor {
        let text = "a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;C;Y;*\nf;C;Y;*\n";
        HierarchyEditor::new(&Hierarchy::read(text).expect("a hierarchy"))
    }

    fn ids(editor: &HierarchyEditor, labels: &[&str]) -> Vec<NodeId> {
        labels.iter().map(|label| editor.find(label).expect("a node")).collect()
    }

    #[test]
    fn every_step_can_be_undone_and_taken_again() {
        let mut editor = editor();
        let before = editor.text();
        let (a, ab) = (ids(&editor, &["A"])[0], ids(&editor, &["A", "B"]));
        editor.rename(a, "first").expect("renamed");
        editor.merge(&ab, "both").expect("siblings");
        let after = editor.text();
        assert!(after.contains("a;both;X;*") && after.contains("d;both;X;*"), "{after}");
        editor.undo();
        editor.undo();
        assert!(editor.text() == before && !editor.can_undo());
        editor.redo();
        editor.redo();
        assert!(editor.text() == after && !editor.can_redo());
    }

    #[test]
    fn a_node_whose_children_moved_away_is_gone() {
        let mut editor = editor();
        let (moved, to) = (ids(&editor, &["e", "f"]), ids(&editor, &["B"])[0]);
        editor.move_to(&moved, to).expect("moved");
        assert!(editor.find("C").is_none() && editor.find("Y").is_none());
        let read = editor.hierarchy().expect("a hierarchy");
        assert_eq!((read.leaf_count(), read.level_sizes()), (6, vec![6, 2, 1, 1]));
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_changes_nothing() {
        let mut editor = editor();
        let before = editor.text();
        let of = |label: &str| editor.find(label).expect("a node");
        let (root, value, x, a, c) = (editor.root(), of("a"), of("X"), of("A"), of("C"));
        assert_eq!(editor.rename(value, "z"), Err(EditError::IsValue));
        assert_eq!(editor.rename(a, "B"), Err(EditError::LabelTaken));
        assert_eq!(editor.rename(a, ""), Err(EditError::LabelTaken));
        assert_eq!(editor.move_to(&[x], a), Err(EditError::NotBelowItself));
        assert_eq!(editor.move_to(&[x], value), Err(EditError::NotBelowItself));
        assert_eq!(editor.move_to(&[root], x), Err(EditError::IsRoot));
        assert_eq!(editor.group(&[a, c], "g"), Err(EditError::NotSiblings));
        assert_eq!(editor.dissolve(root), Err(EditError::IsRoot));
        assert_eq!(editor.dissolve(999), Err(EditError::NoSuchNode));
        assert!(editor.text() == before && !editor.can_undo());
    }

    #[test]
    fn values_on_different_heights_are_written_in_lines_of_one_length() {
        let mut editor = editor();
        let node = ids(&editor, &["C"])[0];
        editor.dissolve(node).expect("dissolved");
        let text = editor.text();
        assert!(text.contains("e;e;Y;*") || text.contains("e;Y;Y;*"), "{text}");
        let read = editor.hierarchy().expect("a hierarchy");
        assert_eq!(read.leaf_count(), 6);
    }
}
