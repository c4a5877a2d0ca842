//! The dialect of questions: sqlparser's generic one, with a limit on the steps of the parser.
//!
//! sqlparser tries one reading after the other, and each part of a formula may be tried in each reading of what is around it:
//! `SELECT NOT (NOT (NOT (…` takes twice as long with each further `NOT (`, and 24 of them take minutes. Every formula begins
//! with a prefix (a name, a literal, an operator or a parenthesis), so that prefixes count the steps.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, GenericDialect};
use sqlparser::parser::{Parser, ParserError};

/// A question has one step for each of its words; readings that are given up add a few.
const STEPS_OF_A_WORD: usize = 16;
/// Steps of the shortest questions.
const FEWEST_STEPS: usize = 1_000;

/// The generic dialect for questions of a certain length.
#[derive(Debug)]
pub(super) struct BoundedDialect {
    left: Cell<usize>,
}

impl BoundedDialect {
    pub(super) fn for_words(words: usize) -> BoundedDialect {
        BoundedDialect { left: Cell::new(words.saturating_mul(STEPS_OF_A_WORD).saturating_add(FEWEST_STEPS)) }
    }
}

/// Passes questions about the syntax on to the generic dialect.
macro_rules! as_in_the_generic_dialect {
    ($($name:ident),* $(,)?) => {
        $(fn $name(&self) -> bool {
            GenericDialect.$name()
        })*
    };
}

impl Dialect for BoundedDialect {
    /// The parser asks for the type where the generic dialect differs from others.
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }

    fn is_delimited_identifier_start(&self, letter: char) -> bool {
        GenericDialect.is_delimited_identifier_start(letter)
    }

    fn is_identifier_start(&self, letter: char) -> bool {
        GenericDialect.is_identifier_start(letter)
    }

    fn is_identifier_part(&self, letter: char) -> bool {
        GenericDialect.is_identifier_part(letter)
    }

    fn parse_prefix(&self, _: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                None
            }
            // The only error after which the parser tries no other reading.
            None => Some(Err(ParserError::RecursionLimitExceeded)),
        }
    }

    as_in_the_generic_dialect! {
        supports_unicode_string_literal, supports_partition_by_after_order_by, supports_array_join_syntax,
        supports_group_by_expr, supports_group_by_with_modifier, supports_left_associative_joins_without_parens,
        supports_connect_by, supports_match_recognize, supports_pipe_operator, supports_start_transaction_modifier,
        supports_window_function_null_treatment_arg, supports_dictionary_syntax,
        supports_window_clause_named_window_reference, supports_parenthesized_set_variables,
        supports_select_wildcard_except, support_map_literal_syntax, allow_extract_custom,
        allow_extract_single_quotes, supports_extract_comma_syntax, supports_create_view_comment_syntax,
        supports_parens_around_table_factor, supports_values_as_table_factor, supports_create_index_with_clause,
        supports_explain_with_utility_options, supports_limit_comma, supports_update_order_by,
        supports_from_first_select, supports_projection_trailing_commas, supports_asc_desc_in_column_definition,
        supports_try_convert, supports_bitwise_shift_operators, supports_comment_on, supports_load_extension,
        supports_named_fn_args_with_assignment_operator, supports_struct_literal, supports_empty_projections,
        supports_nested_comments, supports_multiline_comment_hints, supports_user_host_grantee,
        supports_string_escape_constant, supports_array_typedef_with_brackets, supports_match_against,
        supports_set_names, supports_comma_separated_set_assignments, supports_filter_during_aggregation,
        supports_select_wildcard_exclude, supports_data_type_signed_suffix, supports_interval_options,
        supports_quote_delimited_string, supports_select_wildcard_replace, supports_select_wildcard_ilike,
        supports_select_wildcard_rename, supports_optimize_table, supports_install, supports_detach,
        supports_prewhere, supports_with_fill, supports_limit_by, supports_interpolate, supports_settings,
        supports_select_format, supports_comment_optimizer_hint, supports_constraint_keyword_without_name,
        supports_key_column_option, supports_comma_separated_trim, supports_cte_without_as,
        supports_select_item_multi_column_alias, supports_xml_expressions,
    }
}
