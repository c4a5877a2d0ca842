//! The description of the interface in OpenAPI 3.1, from the list of routes and the types of requests and answers.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::routes::{ROUTES, RouteEntry};
use crate::errors::ErrorAnswer;

/// The description of the interface.
pub fn openapi() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    let error = generator.subschema_for::<ErrorAnswer>();
    for route in ROUTES {
        let answer = (route.answer)(&mut generator);
        let request = route.request.map(|request| request(&mut generator));
        let mut operation = json!({
            "summary": route.summary,
            "responses": {
                "2XX": { "description": "The answer.", "content": { "application/json": { "schema": answer } } },
                "default": { "description": "What is wrong.", "content": { "application/json": { "schema": error } } },
            },
        });
        let parameters = parameters(route);
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(request) = request {
            operation["requestBody"] =
                json!({ "required": true, "content": { "application/json": { "schema": request } } });
        }
        let entry = paths.entry(format!("/api{}", route.path)).or_insert_with(|| json!({}));
        entry[route.method] = operation;
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "incrowd workbench",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The interface between the workbench and its page, on loopback and for one session. It is not \
                            stable between versions.",
        },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

fn parameters(route: &RouteEntry) -> Vec<Value> {
    let named = route.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let in_path = |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
    let mut parameters: Vec<Value> = named.map(in_path).collect();
    if route.needs_etag {
        parameters
            .push(json!({ "name": "If-Match", "in": "header", "required": true, "schema": { "type": "string" } }));
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_the_description_leads_somewhere() {
        let description = openapi();
        let text = description.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(description.pointer(reference).is_some(), "{reference}");
        }
        assert!(description["paths"]["/api/plan"]["put"]["requestBody"].is_object());
    }

    #[test]
    fn every_route_stands_once_in_the_list() {
        let mut known = std::collections::HashSet::new();
        assert!(ROUTES.iter().all(|route| known.insert((route.method, route.path))));
    }
}
