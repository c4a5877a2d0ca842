//! What is replaced by what.

use syn::{BinOp, Expr};

/// Conditions that are turned into their opposite.
pub const CONDITIONS: [&str; 16] = [
    "is_empty",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "is_some_and",
    "is_none_or",
    "contains",
    "contains_key",
    "starts_with",
    "ends_with",
    "is_finite",
    "is_nan",
    "is_ascii_digit",
    "is_dir",
    "is_file",
];

/// Methods that are replaced by each other.
pub const METHODS: [(&str, &str); 12] = [
    ("any", "all"),
    ("all", "any"),
    ("min", "max"),
    ("max", "min"),
    ("min_by_key", "max_by_key"),
    ("max_by_key", "min_by_key"),
    ("first", "last"),
    ("last", "first"),
    ("saturating_sub", "saturating_add"),
    ("saturating_add", "saturating_sub"),
    ("checked_sub", "checked_add"),
    ("checked_add", "checked_sub"),
];

/// How the operands of an operator are handled.
pub enum Kind {
    Compare,
    Arithmetic,
    Assign,
    Logic,
}

/// The operators that replace one.
pub fn replaced(operator: &BinOp) -> Option<(&'static [&'static str], Kind)> {
    Some(match operator {
        BinOp::Lt(_) => (&["<=", ">"], Kind::Compare),
        BinOp::Le(_) => (&["<", ">"], Kind::Compare),
        BinOp::Gt(_) => (&[">=", "<"], Kind::Compare),
        BinOp::Ge(_) => (&[">", "<"], Kind::Compare),
        BinOp::Eq(_) => (&["!="], Kind::Compare),
        BinOp::Ne(_) => (&["=="], Kind::Compare),
        BinOp::And(_) => (&["||"], Kind::Logic),
        BinOp::Or(_) => (&["&&"], Kind::Logic),
        BinOp::Add(_) => (&["-", "*"], Kind::Arithmetic),
        BinOp::Sub(_) => (&["+", "/"], Kind::Arithmetic),
        BinOp::Mul(_) => (&["+", "/"], Kind::Arithmetic),
        BinOp::Div(_) => (&["*", "%"], Kind::Arithmetic),
        BinOp::Rem(_) => (&["/", "+"], Kind::Arithmetic),
        BinOp::BitAnd(_) => (&["|"], Kind::Arithmetic),
        BinOp::BitOr(_) => (&["&"], Kind::Arithmetic),
        BinOp::BitXor(_) => (&["&"], Kind::Arithmetic),
        BinOp::Shl(_) => (&[">>"], Kind::Arithmetic),
        BinOp::Shr(_) => (&["<<"], Kind::Arithmetic),
        BinOp::AddAssign(_) => (&["-="], Kind::Assign),
        BinOp::SubAssign(_) => (&["+="], Kind::Assign),
        BinOp::MulAssign(_) => (&["+="], Kind::Assign),
        BinOp::DivAssign(_) => (&["*="], Kind::Assign),
        BinOp::BitAndAssign(_) => (&["|="], Kind::Assign),
        BinOp::BitOrAssign(_) => (&["&="], Kind::Assign),
        BinOp::BitXorAssign(_) => (&["|="], Kind::Assign),
        _ => return None,
    })
}

/// Whether a `let` is among the conditions of a chain.
pub fn has_let(node: &Expr) -> bool {
    match node {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Whether a statement may be left out: a call, or an assignment.
pub fn may_go(node: &Expr) -> bool {
    match node {
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) => true,
        Expr::Try(tried) => may_go(&tried.expr),
        Expr::Binary(binary) => matches!(replaced(&binary.op), Some((_, Kind::Assign))),
        _ => false,
    }
}
