//! The language of questions: SQL, as sqlparser reads it, of which a small part is taken.
//!
//! `SELECT COUNT(*), SUM(c), AVG(c) [FROM release] WHERE … GROUP BY …`, where the condition is an AND of formulas about
//! one column each. What is more than that is refused by its name: an estimate of it would need more than a release
//! tells.
//!
//! No refusal quotes a literal of the question: it may be somebody's value.

mod condition;
mod dialect;

use incrowd_core::query::{Aggregate, Query, QueryError, Selected};
use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident,
    ObjectName, Query as SqlQuery, Select, SelectItem, SetExpr, Statement, TableFactor, TableWithJoins,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use dialect::BoundedDialect;

type Result<T> = std::result::Result<T, QueryError>;

/// The one table there is.
const TABLE: &str = "release";

/// Formulas that are nested deeper than this are refused.
const DEEPEST: usize = 50;

/// Formulas of more words and operators than this are refused: each may be a step deeper. Lists are not counted.
const LONGEST: usize = 1_500;

/// Reads a question.
///
/// ```
/// let query = incrowd_engine::parse_query("SELECT COUNT(*) WHERE age BETWEEN 30 AND 40 AND marital-status = 'Divorced'")?;
/// assert_eq!(query.columns(), ["age", "marital-status"]);
/// let error = incrowd_engine::parse_query("SELECT MAX(age)").expect_err("refused");
/// assert_eq!(error.what, "MAX is not supported");
/// # Ok::<(), incrowd_core::query::QueryError>(())
/// ```
pub fn parse_query(text: &str) -> Result<Query> {
    let tokens =
        Tokenizer::new(&GenericDialect, text).tokenize_with_location().map_err(|error| unreadable(&error.into()))?;
    let is_step = |token: &&TokenWithSpan| {
        !matches!(token.token, Token::Whitespace(_) | Token::Comma | Token::Number(..) | Token::SingleQuotedString(_))
    };
    if tokens.iter().filter(is_step).count() > LONGEST {
        return Err(refused("a condition this long", "list the values: column IN (…)"));
    }
    let dialect = BoundedDialect::for_words(tokens.len());
    let mut parser = Parser::new(&dialect).with_recursion_limit(DEEPEST).with_tokens_with_locations(tokens);
    let mut statements = parser.parse_statements().map_err(|error| unreadable(&error))?;
    let select = match (statements.pop(), statements.is_empty()) {
        (Some(Statement::Query(query)), true) => plain_select(*query)?,
        (Some(_), true) => return Err(refused("a statement other than SELECT", "use one SELECT")),
        (None, _) => {
            return Err(QueryError::new("the query is empty", "use, for example: SELECT COUNT(*) WHERE age > 40"));
        }
        (Some(_), false) => return Err(refused("a second statement", "use one SELECT at a time")),
    };
    from(&select.from)?;
    let group_by = group_by(&select.group_by)?;
    let mut selected = Vec::new();
    for item in &select.projection {
        selected.extend(item_of(item, &group_by)?);
    }
    if selected.is_empty() {
        return Err(QueryError::new("the query selects no figure", "select COUNT(*), SUM(column) or AVG(column)"));
    }
    let conditions = select.selection.as_ref().map(condition::by_column).transpose()?.unwrap_or_default();
    Ok(Query { select: selected, conditions, group_by })
}

fn refused(what: &str, remedy: &str) -> QueryError {
    QueryError::new(format!("{what} is not supported"), remedy)
}

/// The parser's words without what it found: that may be a literal.
fn unreadable(error: &ParserError) -> QueryError {
    let text = match error {
        ParserError::RecursionLimitExceeded => return refused("nesting this deep", "use fewer parentheses"),
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
    };
    let place = text.rsplit_once(" at Line: ").and_then(|(_, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((line.trim().parse::<u64>().ok()?, column.trim().parse::<u64>().ok()?))
    });
    let place = match place {
        Some((1, column)) => format!(" at character {column}"),
        Some((line, column)) => format!(" at line {line}, character {column}"),
        None => String::new(),
    };
    let expected = text.strip_prefix("Expected: ").and_then(|rest| rest.split_once(", found")).map(|(what, _)| what);
    let expected = expected.map(|what| format!(": expected {what}")).unwrap_or_default();
    let remedy = "use, for example: SELECT COUNT(*) WHERE age > 40 AND occupation = 'Sales'";
    QueryError::new(format!("the query cannot be read{place}{expected}"), remedy)
}

/// The SELECT, when nothing stands around it.
fn plain_select(query: SqlQuery) -> Result<Box<Select>> {
    let extras = [
        (query.with.is_some(), "WITH", "use one plain SELECT"),
        (query.order_by.is_some(), "ORDER BY", "leave it out: groups are sorted by value"),
        (query.limit_clause.is_some() || query.fetch.is_some(), "LIMIT", "leave it out"),
        (!query.locks.is_empty() || query.for_clause.is_some(), "FOR", "leave it out"),
        (
            query.settings.is_some() || query.format_clause.is_some(),
            "SETTINGS",
            "leave it out; --format json prints JSON",
        ),
        (!query.pipe_operators.is_empty(), "|>", "use one plain SELECT"),
    ];
    refuse_any(&extras)?;
    let SetExpr::Select(select) = *query.body else {
        return Err(refused("UNION, VALUES or a query in parentheses", "use one plain SELECT"));
    };
    let extras = [
        (select.distinct.is_some(), "DISTINCT", "GROUP BY the columns instead"),
        (select.having.is_some(), "HAVING", "leave it out, and select from the printed groups"),
        (select.top.is_some() || select.into.is_some(), "TOP or INTO", "leave it out"),
        (!select.named_window.is_empty() || select.qualify.is_some(), "WINDOW", "leave it out"),
        (select.prewhere.is_some(), "PREWHERE", "write WHERE"),
        (
            !select.lateral_views.is_empty() || !select.connect_by.is_empty(),
            "LATERAL VIEW or CONNECT BY",
            "leave it out",
        ),
        (
            !select.cluster_by.is_empty() || !select.distribute_by.is_empty() || !select.sort_by.is_empty(),
            "SORT BY",
            "leave it out: groups are sorted by value",
        ),
    ];
    refuse_any(&extras)?;
    Ok(select)
}

fn refuse_any(extras: &[(bool, &str, &str)]) -> Result<()> {
    extras.iter().find(|(there, ..)| *there).map_or(Ok(()), |(_, what, remedy)| Err(refused(what, remedy)))
}

fn from(tables: &[TableWithJoins]) -> Result<()> {
    let remedy = "leave FROM out, or write FROM release: the folder is named on the command line";
    match tables {
        [] => Ok(()),
        [TableWithJoins { relation: TableFactor::Table { name, alias: None, args: None, .. }, joins }] => {
            match (name_of(name), joins.is_empty()) {
                (Some(table), true) if table.eq_ignore_ascii_case(TABLE) => Ok(()),
                (_, false) => Err(refused("JOIN", "query one release at a time")),
                _ => Err(QueryError::new("the table does not exist", remedy)),
            }
        }
        _ => Err(QueryError::new("FROM must name one table", remedy)),
    }
}

fn name_of(name: &ObjectName) -> Option<&str> {
    match &name.0[..] {
        [part] => part.as_ident().map(|ident| ident.value.as_str()),
        _ => None,
    }
}

fn group_by(clause: &GroupByExpr) -> Result<Vec<String>> {
    let GroupByExpr::Expressions(columns, modifiers) = clause else {
        return Err(refused("GROUP BY ALL", "name the columns"));
    };
    refuse_any(&[(!modifiers.is_empty(), "ROLLUP, CUBE or TOTALS", "use a separate query for each GROUP BY")])?;
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        let name = column_of(column).ok_or_else(|| refused("GROUP BY of anything but columns", "name columns"))?;
        if names.contains(&name) {
            return Err(QueryError::new(format!("GROUP BY names “{name}” twice"), "name each column once"));
        }
        names.push(name);
    }
    Ok(names)
}

/// The aggregate of an item of the SELECT list; nothing for a column that splits the answer, which is given with it.
fn item_of(item: &SelectItem, group_by: &[String]) -> Result<Option<Selected>> {
    let (expression, alias) = match item {
        SelectItem::UnnamedExpr(expression) => (expression, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
        _ => {
            return Err(refused("SELECT *", "select figures: COUNT(*), SUM(column) or AVG(column)"));
        }
    };
    if let Some(name) = column_of(expression) {
        return match (group_by.contains(&name), alias) {
            (true, None) => Ok(None),
            (true, Some(_)) => Err(refused("an alias of a column", "leave the alias out")),
            (false, _) => Err(QueryError::new(
                format!("“{name}” is selected but not in GROUP BY"),
                "select figures, and only columns that GROUP BY names",
            )),
        };
    }
    let Expr::Function(function) = expression else {
        return Err(refused("an expression in the SELECT list", "select COUNT(*), SUM(column) or AVG(column)"));
    };
    let aggregate = aggregate_of(function)?;
    Ok(Some(match alias {
        Some(Ident { value, .. }) => Selected { aggregate, name: value.clone() },
        None => aggregate.named(),
    }))
}

fn aggregate_of(function: &Function) -> Result<Aggregate> {
    let name = name_of(&function.name).unwrap_or("a function").to_uppercase();
    let FunctionArguments::List(list) = &function.args else {
        return Err(refused(&name, "select COUNT(*), SUM(column) or AVG(column)"));
    };
    let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
    refuse_any(&[
        (distinct, "DISTINCT", "GROUP BY the column instead, and count the groups"),
        (function.filter.is_some(), "FILTER", "put the condition into WHERE"),
        (function.over.is_some(), "OVER", "GROUP BY the columns instead"),
    ])?;
    let [FunctionArg::Unnamed(argument)] = &list.args[..] else {
        return Err(refused(&format!("{name} of anything but one column"), "name one column"));
    };
    let column = match argument {
        FunctionArgExpr::Expr(expression) => column_of(expression),
        _ => None,
    };
    match (name.as_str(), argument, column) {
        ("COUNT", FunctionArgExpr::Wildcard, _) => Ok(Aggregate::Count),
        ("COUNT", _, Some(column)) => Err(refused(
            &format!("COUNT({column})"),
            &format!("write COUNT(*), with {column} IS NOT NULL in the WHERE"),
        )),
        ("COUNT", FunctionArgExpr::Expr(Expr::Value(_)), _) => Ok(Aggregate::Count),
        ("SUM", _, Some(column)) => Ok(Aggregate::Sum(column)),
        ("AVG" | "MEAN", _, Some(column)) => Ok(Aggregate::Mean(column)),
        ("SUM" | "AVG" | "MEAN", ..) => Err(refused(&format!("{name} of anything but a column"), "name one column")),
        _ => Err(refused(&name, "select COUNT(*), SUM(column) or AVG(column)")),
    }
}

/// The column that an expression names. `marital-status` is one too: there is no arithmetic that it could be.
fn column_of(expression: &Expr) -> Option<String> {
    use sqlparser::ast::{BinaryOperator, Value};
    match expression {
        Expr::Identifier(ident) => Some(ident.value.clone()),
        Expr::CompoundIdentifier(parts) => match &parts[..] {
            [table, column] if table.value.eq_ignore_ascii_case(TABLE) => Some(column.value.clone()),
            _ => None,
        },
        Expr::Nested(inner) => column_of(inner),
        Expr::BinaryOp { left, op: BinaryOperator::Minus, right } => {
            let rest = match &**right {
                Expr::Value(value) => match &value.value {
                    Value::Number(number, _) => Some(number.to_string()),
                    _ => None,
                },
                Expr::Identifier(ident) => Some(ident.value.clone()),
                _ => None,
            };
            Some(format!("{}-{}", column_of(left)?, rest?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
