//! What a run sees of a database: one snapshot, held open, for all of its scans.
//!
//! A transaction of its own (`REPEATABLE READ READ ONLY`) exports its snapshot and stays open; every scan takes the
//! snapshot over. So rows that others insert, change or delete in the meantime are not seen, and since the transaction
//! has looked at the table, nobody can rewrite it either.

use std::ops::Range;
use std::sync::Arc;

use tokio_postgres::SimpleQueryMessage;

use crate::runtime::error::Result;
use crate::source::postgres::PREFIX;
use crate::source::postgres::names::TableName;
use crate::source::postgres::session::Session;
use crate::source::postgres::settings::ConnectionSettings;
use crate::source::postgres::types::DatabaseColumn;

/// A transaction that is held open, and its name.
pub(crate) struct Snapshot {
    session: Session,
    name: String,
}

/// What is read: something that can stand after FROM.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    from: String,
    /// The pages of a table that can be cut by them.
    pub(crate) pages: Option<u64>,
}

impl Snapshot {
    /// Begins a transaction and exports its snapshot.
    pub(crate) async fn take(named: &str, settings: &ConnectionSettings) -> Result<Snapshot> {
        let session = Session::connect(named, settings).await?;
        session.run("beginning to read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let name = first_cell(&session, "SELECT pg_catalog.pg_export_snapshot()").await?.unwrap_or_default();
        Ok(Snapshot { session, name })
    }

    /// Another connection that sees the same.
    pub(crate) async fn share(&self, settings: &ConnectionSettings) -> Result<Arc<Session>> {
        let session = Session::connect(&self.session.named, settings).await?;
        let name = self.name.replace('\'', "''");
        let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '{name}'");
        session.run("beginning to read", &begin).await?;
        Ok(Arc::new(session))
    }

    /// What a name or a query stands for.
    pub(crate) async fn relation(&self, asked: &str) -> Result<Relation> {
        if is_query(asked) {
            let query = asked.trim().trim_end_matches(';');
            // A comment at its end must not swallow what follows.
            return Ok(Relation { from: format!("(\n{query}\n) AS incrowd_query"), pages: None });
        }
        let name = TableName::parse(asked)?.to_string();
        let cut = format!(
            "SELECT GREATEST(pg_catalog.pg_relation_size(c.oid), \
             (SELECT pg_catalog.max(pg_catalog.pg_relation_size(t.relid)) FROM pg_catalog.pg_partition_tree(c.oid) t)) / \
             pg_catalog.current_setting('block_size')::pg_catalog.int8 \
             FROM pg_catalog.pg_class c \
             WHERE c.oid = pg_catalog.to_regclass('{}') AND c.relkind IN ('r', 'p', 'm') \
             AND pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 140000",
            name.replace('\'', "''")
        );
        let pages = first_cell(&self.session, &cut).await?.and_then(|pages| pages.parse().ok());
        Ok(Relation { from: name, pages })
    }

    /// The columns of what is read.
    ///
    /// Seen by this transaction, the table can neither be dropped nor written anew while the run lasts.
    pub(crate) async fn columns(&self, relation: &Relation) -> Result<Vec<DatabaseColumn>> {
        let columns = columns(&self.session, relation).await?;
        self.session.run("looking at the table", &format!("SELECT FROM {} LIMIT 0", relation.from)).await?;
        Ok(columns)
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

/// The columns of a table or a query, as this connection sees them.
pub(crate) async fn columns(session: &Session, relation: &Relation) -> Result<Vec<DatabaseColumn>> {
    let statement = session.client().prepare(&format!("SELECT * FROM {}", relation.from)).await;
    let statement = statement.map_err(|error| session.failed("looking at the columns", &error))?;
    let column =
        |column: &tokio_postgres::Column| DatabaseColumn::new(column.name(), column.type_(), column.type_modifier());
    Ok(statement.columns().iter().map(column).collect())
}

impl Relation {
    /// A table that is read by one connection.
    pub(crate) fn whole(name: &TableName) -> Relation {
        Relation { from: name.to_string(), pages: None }
    }

    /// The statement that copies these columns, of some pages or of some rows.
    pub(crate) fn copy(
        &self,
        columns: &[&DatabaseColumn],
        pages: Option<Range<u64>>,
        most_rows: Option<usize>,
    ) -> String {
        let expressions: Vec<String> = columns.iter().map(|column| column.expression()).collect();
        let mut copy = format!("COPY (SELECT {} FROM {}", expressions.join(", "), self.from);
        if let Some(pages) = pages {
            copy += &format!(" WHERE ctid >= '({},0)'::pg_catalog.tid", pages.start);
            // The last stretch is open: a table that grew has more pages, whose rows the snapshot does not see.
            if pages.end < u64::MAX {
                copy += &format!(" AND ctid < '({},0)'::pg_catalog.tid", pages.end);
            }
        }
        if let Some(rows) = most_rows {
            copy += &format!(" LIMIT {rows}");
        }
        copy + ") TO STDOUT (FORMAT binary)"
    }
}

/// What messages call it: a name as it is, of a query its first word, since the rest may quote a cell.
pub(crate) fn label(asked: &str) -> String {
    let word = asked.split_whitespace().next().filter(|_| is_query(asked));
    word.map_or_else(
        || format!("{PREFIX}{asked}"),
        |word| format!("{PREFIX}{} …", word.chars().take(6).collect::<String>()),
    )
}

/// Whether this is a query and not a name.
fn is_query(asked: &str) -> bool {
    let word: String = asked.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    let rest = asked.trim_start().chars().nth(word.len());
    let word_ends = rest.is_some_and(|next| next.is_whitespace() || matches!(next, '(' | '*' | '"' | '\''));
    asked.trim_start().starts_with('(')
        || (word_ends && ["select", "with", "values", "table"].contains(&word.to_lowercase().as_str()))
}

/// The first cell of an answer, as text.
pub(crate) async fn first_cell(session: &Session, query: &str) -> Result<Option<String>> {
    let answer = session.client().simple_query(query).await;
    let answer = answer.map_err(|error| session.failed("looking at the table", &error))?;
    Ok(answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten().map(String::from),
        _ => None,
    }))
}

/// Whether a table is there.
pub(crate) async fn exists(session: &Session, name: &TableName) -> Result<bool> {
    let name = name.to_string().replace('\'', "''");
    Ok(first_cell(session, &format!("SELECT pg_catalog.to_regclass('{name}')::pg_catalog.oid")).await?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_distinguished_from_a_name() {
        for query in
            ["SELECT 1", " with x as (select 1) table x", "(SELECT 1)", "values (1)", "select\n*", "SELECT* FROM t"]
        {
            assert!(is_query(query), "{query}");
        }
        for name in ["visits", "public.visits", "\"select\".x", "selected", "select", "table_1", "with"] {
            assert!(!is_query(name), "{name}");
        }
    }
}
