//! Finds what can be changed in a file.
//!
//! Left out is what is computed when the program is built (constants, patterns, lengths of arrays), what stands in a macro other
//! than `matches!`, what only tests use, and `Debug` and `Default`, which say nothing about a release.

use crate::change::{Change, Edit, Mutant, Part};
use crate::swaps::{CONDITIONS, Kind, METHODS, has_let, may_go, replaced};
use crate::{sources, values};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Stmt, UnOp};

/// All edits of a file; `next` is the number of the next mutant.
pub fn edits(text: &str, parsed: &syn::File, next: &mut u32) -> Vec<Edit> {
    let mut finder = Finder { text, next, edits: Vec::new(), names: Vec::new(), negated: Vec::new() };
    finder.visit_file(parsed);
    finder.edits
}

struct Finder<'a> {
    text: &'a str,
    next: &'a mut u32,
    edits: Vec<Edit>,
    /// The types and functions around.
    names: Vec<String>,
    /// Where expressions start and end that stand below a `!`, so that taking it away is the same change.
    negated: Vec<Part>,
}

fn part(span: Span) -> Part {
    let bytes = span.byte_range();
    (bytes.start, bytes.end)
}

impl Finder<'_> {
    fn add(&mut self, part: Part, change: Change, from: &str, to: &[&str]) {
        self.add_at(part.0, part, change, from, to);
    }

    fn add_at(&mut self, at: usize, part: Part, change: Change, from: &str, to: &[&str]) {
        let mutants = to.iter().map(|to| {
            let id = *self.next;
            *self.next += 1;
            Mutant { id, at, function: self.names.join("::"), from: from.to_owned(), to: (*to).to_owned() }
        });
        let mutants = mutants.collect();
        self.edits.push(Edit { part, change, mutants });
    }

    fn text(&self, part: Part) -> String {
        self.text[part.0..part.1].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn named(&mut self, name: String, then: impl FnOnce(&mut Self)) {
        self.names.push(name);
        then(self);
        self.names.pop();
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        // What may run when the program is built cannot ask which mutant is on.
        if signature.constness.is_some() {
            return;
        }
        self.named(signature.ident.to_string(), |finder| {
            let start = part(block.brace_token.span.open()).1;
            let body = finder.text((start, part(block.brace_token.span.close()).0));
            let values: Vec<String> = values::of(&signature.output)
                .into_iter()
                .filter(|value| *value != body && !block.stmts.is_empty())
                .collect();
            if !values.is_empty() {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                finder.add_at(part(signature.ident.span()).0, (start, start), Change::Body, "the body", &values);
            }
            visit::visit_block(finder, block);
        });
    }

    fn binary(&mut self, node: &syn::ExprBinary) {
        let (whole, left, right) = (part(node.span()), part(node.left.span()), part(node.right.span()));
        let operator = part(node.op.span());
        let from = self.text(operator);
        let Some((to, kind)) = replaced(&node.op) else { return };
        let change = match kind {
            Kind::Compare => Change::Compare { left, right },
            Kind::Arithmetic => Change::Arithmetic { left, right },
            Kind::Assign => Change::Assign { left, right },
            // A `let` in a chain of conditions cannot be moved.
            Kind::Logic if has_let(&node.left) || has_let(&node.right) => return,
            Kind::Logic => Change::Logic { left, right },
        };
        self.add_at(operator.0, whole, change, &from, to);
    }

    fn negate(&mut self, node: &Expr) {
        let whole = part(node.span());
        if !self.negated.contains(&whole) {
            let text = self.text(whole);
            self.add(whole, Change::Negate, &text, &[&format!("!({text})")]);
            self.negated.push(whole);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !sources::for_tests(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let of_trait = node.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if sources::for_tests(&node.attrs)
            || of_trait.is_some_and(|name| name.ident == "Debug" || name.ident == "Default")
        {
            return;
        }
        let name = self.text(part(node.self_ty.span()));
        self.named(name, |finder| visit::visit_item_impl(finder, node));
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        self.named(node.ident.to_string(), |finder| visit::visit_item_trait(finder, node));
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        if !sources::for_tests(&node.attrs) {
            self.function(&node.sig, &node.block);
        }
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        if !sources::for_tests(&node.attrs) {
            self.function(&node.sig, &node.block);
        }
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.sig, block);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        if let Stmt::Expr(expression, Some(_)) = node
            && may_go(expression)
        {
            let text = self.text(part(node.span()));
            self.add(part(node.span()), Change::Gone, &text, &["nothing"]);
        }
        visit::visit_stmt(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        let last = node.arms.last().filter(|arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none());
        for arm in &node.arms {
            let guard = arm.guard.as_ref().map(|(_, guard)| guard).filter(|guard| !has_let(guard));
            let other = last.filter(|last| self.text(part(last.body.span())) != self.text(part(arm.body.span())));
            let pattern = self.text(part(arm.pat.span()));
            match (guard, other) {
                (Some(guard), _) => {
                    let (whole, text) = (part(guard.span()), self.text(part(guard.span())));
                    if other.is_some() {
                        self.add(whole, Change::Arm { guarded: true }, &format!("{pattern} if {text}"), &["no arm"]);
                    }
                    self.add(whole, Change::Guard, &text, &["true"]);
                }
                (None, Some(_)) if arm.guard.is_none() => {
                    self.add(part(arm.pat.span()), Change::Arm { guarded: false }, &pattern, &["no arm"]);
                }
                _ => {}
            }
        }
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        if matches!(*node.cond, Expr::Path(_) | Expr::Field(_) | Expr::Call(_) | Expr::MethodCall(_)) {
            self.negate(&node.cond);
        }
        visit::visit_expr_if(self, node);
    }

    fn visit_expr(&mut self, node: &'ast Expr) {
        let whole = part(node.span());
        match node {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                // A negative number is a literal with a sign, and often in a place where only that is allowed.
                let literal = matches!(*unary.expr, Expr::Lit(_));
                if !literal && !self.negated.contains(&whole) {
                    let (operand, from) = (part(unary.expr.span()), self.text(part(unary.op.span())));
                    self.add(whole, Change::Unary { operand }, &from, &[""]);
                }
                self.negated.push(part(unary.expr.span()));
            }
            Expr::Lit(literal) => {
                if let syn::Lit::Bool(truth) = &literal.lit {
                    let (from, to) = if truth.value { ("true", "false") } else { ("false", "true") };
                    self.add(whole, Change::Truth, from, &[to]);
                }
            }
            Expr::Macro(called) if called.mac.path.is_ident("matches") => self.negate(node),
            Expr::MethodCall(call) => {
                let method = call.method.to_string();
                if CONDITIONS.contains(&method.as_str()) {
                    self.negate(node);
                }
                if let Some((from, to)) = METHODS.iter().find(|(from, _)| *from == method) {
                    let name = part(call.method.span());
                    self.add_at(name.0, whole, Change::Method { name }, &format!(".{from}"), &[&format!(".{to}")]);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, node);
    }
}
