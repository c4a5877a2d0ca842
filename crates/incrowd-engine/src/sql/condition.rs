//! WHERE: an AND of formulas, each about one column.

use incrowd_core::query::{Comparison, Condition, Literal, Pattern, QueryError};
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use super::{Result, column_of, refused};

/// The conditions by column, in the order in which the columns are first named.
pub(super) fn by_column(expression: &Expr) -> Result<Vec<(String, Condition)>> {
    let mut parts = Vec::new();
    split(expression, &mut parts);
    let mut conditions: Vec<(String, Condition)> = Vec::new();
    for part in parts {
        let (column, condition) = formula(part)?;
        match conditions.iter_mut().find(|(name, _)| *name == column) {
            Some((_, known)) => *known = std::mem::replace(known, Condition::IsMissing).and(condition),
            None => conditions.push((column, condition)),
        }
    }
    Ok(conditions)
}

/// Takes an AND apart.
fn split<'a>(expression: &'a Expr, parts: &mut Vec<&'a Expr>) {
    for part in chain(expression, &BinaryOperator::And) {
        match part {
            Expr::Nested(inner) => split(inner, parts),
            other => parts.push(other),
        }
    }
}

/// The parts of `a OR b OR c`, which the parser nests to the left: as deep as it is long.
fn chain<'a>(mut expression: &'a Expr, joined_by: &BinaryOperator) -> Vec<&'a Expr> {
    let mut parts = Vec::new();
    while let Expr::BinaryOp { left, op, right } = expression {
        if op != joined_by {
            break;
        }
        parts.push(&**right);
        expression = left;
    }
    parts.push(expression);
    parts.reverse();
    parts
}

/// A formula with its one column.
fn formula(expression: &Expr) -> Result<(String, Condition)> {
    let negated = |negated: bool, condition| if negated { Condition::Not(Box::new(condition)) } else { condition };
    match expression {
        Expr::Nested(inner) => formula(inner),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
            let (column, condition) = formula(expr)?;
            Ok((column, negated(true, condition)))
        }
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => {
            joined(&chain(expression, &BinaryOperator::Or)).map(|(column, parts)| (column, Condition::Any(parts)))
        }
        Expr::BinaryOp { op: BinaryOperator::And, .. } => {
            joined(&chain(expression, &BinaryOperator::And)).map(|(column, parts)| (column, Condition::All(parts)))
        }
        Expr::BinaryOp { left, op, right } => compared(left, op, right),
        Expr::IsNull(column) => Ok((named(column)?, Condition::IsMissing)),
        Expr::IsNotNull(column) => Ok((named(column)?, Condition::present())),
        Expr::InList { expr, list, negated: not } => {
            let literals = list.iter().map(literal).collect::<Result<_>>()?;
            Ok((named(expr)?, negated(*not, Condition::In(literals))))
        }
        Expr::Between { expr, negated: not, low, high } => {
            Ok((named(expr)?, negated(*not, Condition::between(literal(low)?, literal(high)?))))
        }
        Expr::Like { negated: not, any: false, expr, pattern, escape_char: None } => match text(pattern) {
            Some(pattern) => Ok((named(expr)?, negated(*not, Condition::Like(Pattern::new(pattern))))),
            None => Err(refused("LIKE without a text", "write a pattern in quotes, such as '43%'")),
        },
        other => Err(unsupported(other)),
    }
}

/// Formulas that are joined by OR or stand under a NOT: all about one column.
fn joined(parts: &[&Expr]) -> Result<(String, Vec<Condition>)> {
    let mut found: Option<(String, Vec<Condition>)> = None;
    for part in parts {
        let (other, condition) = formula(part)?;
        let (column, conditions) = found.get_or_insert_with(|| (other.clone(), Vec::new()));
        if *column != other {
            return Err(QueryError::new(
                format!("a condition combines “{column}” and “{other}” with OR or NOT"),
                "use one column per condition; query the parts separately, add them, and subtract the overlap",
            ));
        }
        conditions.push(condition);
    }
    found.ok_or_else(|| refused("an empty condition", "name a column"))
}

fn compared(left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<(String, Condition)> {
    let (comparison, mirrored) = match op {
        BinaryOperator::Eq => (Comparison::Equal, Comparison::Equal),
        BinaryOperator::NotEq => (Comparison::NotEqual, Comparison::NotEqual),
        BinaryOperator::Lt => (Comparison::Less, Comparison::Greater),
        BinaryOperator::LtEq => (Comparison::AtMost, Comparison::AtLeast),
        BinaryOperator::Gt => (Comparison::Greater, Comparison::Less),
        BinaryOperator::GtEq => (Comparison::AtLeast, Comparison::AtMost),
        other => return Err(refused(&format!("the operator {other}"), "compare a column with a value")),
    };
    match (column_of(left), column_of(right)) {
        (Some(one), Some(other)) => Err(QueryError::new(
            format!(
                "“{one}” is compared with “{other}”, which is read as a column name because it has no single quotes"
            ),
            "compare a column with a value; put texts in single quotes: 'Sales'",
        )),
        (Some(column), None) => Ok((column, Condition::Compare(comparison, literal(right)?))),
        (None, Some(column)) => Ok((column, Condition::Compare(mirrored, literal(left)?))),
        (None, None) => Err(unsupported(left)),
    }
}

fn named(expression: &Expr) -> Result<String> {
    column_of(expression).ok_or_else(|| unsupported(expression))
}

/// What stands where a column or a formula is expected, by its name.
fn unsupported(expression: &Expr) -> QueryError {
    let remedy = "compare columns with values: =, <>, <, <=, >, >=, BETWEEN, IN, LIKE, IS NULL, with AND, OR and NOT";
    match expression {
        Expr::Function(function) => {
            refused(&format!("{} in a condition", function.name.to_string().to_uppercase()), remedy)
        }
        Expr::ILike { .. } => refused("ILIKE", "use LIKE, or list the values with IN"),
        Expr::Like { .. } => refused("LIKE with ANY or ESCAPE", "use plain LIKE, or list the values with IN"),
        Expr::InSubquery { .. } | Expr::Exists { .. } | Expr::Subquery(_) => {
            refused("a query inside the query", "list the values with IN")
        }
        Expr::Case { .. } => refused("CASE", remedy),
        Expr::Cast { .. } => refused("CAST", remedy),
        Expr::BinaryOp { .. } | Expr::UnaryOp { .. } => refused("arithmetic", remedy),
        _ => QueryError::new("a condition is not about a column", remedy),
    }
}

fn literal(expression: &Expr) -> Result<Literal> {
    let remedy = "write a number, a text in single quotes, or DATE '1980-04-03'";
    match expression {
        Expr::Nested(inner) => literal(inner),
        Expr::TypedString(typed) => {
            typed_text(&typed.value.value).map(Literal::new).ok_or_else(|| refused("this kind of value", remedy))
        }
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match number(expr) {
            Some(number) => Ok(Literal::bare(&format!("-{number}"))),
            None => Err(refused("arithmetic", remedy)),
        },
        Expr::Value(value) if matches!(value.value, Value::Null) => {
            Err(refused("a comparison with NULL", "write IS NULL or IS NOT NULL"))
        }
        Expr::Value(value) => match &value.value {
            Value::Boolean(truth) => Ok(Literal::new(if *truth { "true" } else { "false" })),
            _ => match (number(expression), typed_text(&value.value)) {
                (Some(number), _) => Ok(Literal::bare(&number)),
                (_, Some(text)) => Ok(Literal::new(text)),
                _ => Err(refused("this kind of value", remedy)),
            },
        },
        other => Err(match column_of(other) {
            Some(_) => QueryError::new("a value looks like a column name", "put texts in single quotes: 'Sales'"),
            None => unsupported(other),
        }),
    }
}

fn number(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => Some(number.to_string()),
            _ => None,
        },
        _ => None,
    }
}

fn text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Value(value) => typed_text(&value.value),
        _ => None,
    }
}

fn typed_text(value: &Value) -> Option<&str> {
    match value {
        Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => Some(text),
        _ => None,
    }
}
