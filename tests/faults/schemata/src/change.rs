//! What a mutant changes, as parts of the text of a file.

/// Bytes of a file: from, to.
pub type Part = (usize, usize);

/// One mutant: what is replaced by what, and where.
pub struct Mutant {
    pub id: u32,
    pub at: usize,
    pub function: String,
    pub from: String,
    pub to: String,
}

/// An expression, statement or place that is rewritten for one or several mutants.
pub struct Edit {
    pub part: Part,
    pub change: Change,
    pub mutants: Vec<Mutant>,
}

/// What is done to the part of an edit. The mutants of the edit are in the order of what is listed here.
pub enum Change {
    /// `a < b`, with other operators. The operands are compared by reference.
    Compare { left: Part, right: Part },
    /// `a + b`, with other operators. The operands are moved.
    Arithmetic { left: Part, right: Part },
    /// `a && b` or `a || b`, with the other one.
    Logic { left: Part, right: Part },
    /// `a += b`, with other operators.
    Assign { left: Part, right: Part },
    /// `!a` or `-a`, without the operator.
    Unary { operand: Part },
    /// A literal, with the other one.
    Truth,
    /// A condition, with its opposite.
    Negate,
    /// A call of a method, with another method.
    Method { name: Part },
    /// The guard of an arm, always true.
    Guard,
    /// An arm of a match that is never taken; with a guard, or after a pattern without one.
    Arm { guarded: bool },
    /// A statement that is left out.
    Gone,
    /// The start of a body, with a value that is returned at once for each mutant.
    Body,
}
