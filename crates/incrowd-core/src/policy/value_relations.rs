//! What is known about the values of a sensitive attribute beyond whether they are equal: what a hierarchy over them says.

/// What is known about the values of a sensitive attribute. Nothing, unless stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueRelations {
    /// For each value its path: the value, its node on each level, and the root. For hierarchical t-closeness.
    pub tree: Option<Vec<Vec<String>>>,
    /// The values below each protected node, no value twice. For extended p-sensitivity.
    pub groups: Option<Vec<Vec<String>>>,
}
