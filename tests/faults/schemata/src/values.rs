//! Values that a function could return without doing its work.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// The most values that are tried for one function.
const MOST: usize = 3;

/// Values of the type that a function returns, as text.
pub fn of(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, of_type) => {
            let mut values = of_type_values(of_type);
            values.truncate(MOST);
            values
        }
    }
}

fn of_type_values(of_type: &Type) -> Vec<String> {
    let texts = |values: &[&str]| values.iter().map(ToString::to_string).collect();
    match of_type {
        Type::Tuple(tuple) if tuple.elems.is_empty() => texts(&["()"]),
        Type::Tuple(tuple) => {
            let parts: Vec<Vec<String>> = tuple.elems.iter().map(of_type_values).collect();
            let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
            if parts.iter().any(Vec::is_empty) {
                return Vec::new();
            }
            let row = |at: usize| parts.iter().map(|part| part[at.min(part.len() - 1)].as_str()).collect::<Vec<_>>();
            (0..longest).map(|at| format!("({})", row(at).join(", "))).collect()
        }
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => texts(&["\"\"", "\"xyzzy\""]),
            Type::Slice(_) => texts(&["&[]"]),
            _ => Vec::new(),
        },
        Type::Path(path) => of_path(path),
        _ => Vec::new(),
    }
}

fn of_path(path: &syn::TypePath) -> Vec<String> {
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let texts = |values: &[&str]| values.iter().map(ToString::to_string).collect();
    let wrapped = |with: &dyn Fn(&str) -> String| -> Vec<String> {
        first_argument(&last.arguments)
            .map(of_type_values)
            .unwrap_or_default()
            .iter()
            .map(|inner| with(inner))
            .collect()
    };
    match last.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            texts(&["0", "1"])
        }
        "f32" | "f64" => texts(&["0.0", "1.0"]),
        "String" => texts(&["String::new()", "String::from(\"xyzzy\")"]),
        "Ordering" => texts(&["std::cmp::Ordering::Equal"]),
        "Option" => {
            let mut values = vec!["None".to_owned()];
            values.extend(wrapped(&|inner| format!("Some({inner})")));
            values
        }
        "Result" => wrapped(&|inner| format!("Ok({inner})")),
        "Box" | "Arc" | "Rc" => wrapped(&|inner| format!("{}::new({inner})", last.ident)),
        "Vec" => {
            let mut values = vec!["Vec::new()".to_owned()];
            values.extend(wrapped(&|inner| format!("vec![{inner}]")));
            values
        }
        _ => texts(&["Default::default()"]),
    }
}

fn first_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(list) = arguments else { return None };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(of_type) => Some(of_type),
        _ => None,
    })
}
