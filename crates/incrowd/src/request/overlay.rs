//! A plan with another one laid over it: what the other says stands, and where it says nothing the plan does.

use incrowd_core::{Role, Treatment};

use super::{ColumnPlan, Plan};

impl Plan {
    /// This plan, overridden by the settings of a command line or a call.
    ///
    /// Quasi-identifiers that are said are the only ones; another role that is said stands for the plan's of the same column.
    /// Missing-value texts are added to. A bound or a rule stands for the plan's of the same model and column. Rules about every
    /// sensitive column become rules about those that are sensitive then.
    #[must_use]
    pub fn overlay(self, said: Plan) -> Plan {
        let columns = columns(self.columns, said.columns);
        let sensitive: Vec<String> = of_role(&columns, Role::Sensitive).map(|column| column.name.clone()).collect();
        Plan {
            version: self.version,
            source: self.source.overlay(said.source),
            policy: self.policy.overlay(said.policy, &sensitive),
            population: self.population.overlay(said.population),
            solve: self.solve.overlay(said.solve),
            release: self.release.overlay(said.release),
            context: self.context.overlay(said.context),
            run: self.run.overlay(said.run),
            call: self.call.overlay(said.call),
            columns,
            tables: [self.tables, said.tables].concat(),
        }
    }
}

fn of_role(columns: &[ColumnPlan], role: Role) -> impl Iterator<Item = &ColumnPlan> {
    columns.iter().filter(move |column| column.role == Some(role))
}

/// The columns whose roles are said, in the order in which they are said, and then those of the plan.
fn columns(mut planned: Vec<ColumnPlan>, said: Vec<ColumnPlan>) -> Vec<ColumnPlan> {
    let only_one_subject = of_role(&said, Role::Subject).next().is_some();
    let only_these_quasi_identifiers = of_role(&said, Role::QuasiIdentifier).next().is_some();
    let (with_role, mut without): (Vec<ColumnPlan>, Vec<ColumnPlan>) =
        said.into_iter().partition(|column| column.role.is_some());
    let mut columns: Vec<ColumnPlan> = Vec::with_capacity(planned.len() + with_role.len());
    for said in with_role {
        columns.push(match planned.iter().position(|column| column.name == said.name) {
            Some(at) => merged(planned.remove(at), said),
            None => said,
        });
    }
    for mut column in planned {
        match column.role {
            Some(Role::QuasiIdentifier) if only_these_quasi_identifiers => column.role = None,
            Some(Role::Subject) if only_one_subject => column.role = None,
            _ => {}
        }
        columns.push(match without.iter().position(|said| said.name == column.name) {
            Some(at) => merged(column, without.remove(at)),
            None => with_used_hierarchy(column),
        });
    }
    columns.extend(without);
    columns
}

/// A plan may keep the hierarchy of a column that is not generalized; it is not used.
fn with_used_hierarchy(column: ColumnPlan) -> ColumnPlan {
    let hierarchy = column.hierarchy.filter(|_| is_generalized(column.role, column.treatment.as_ref()));
    ColumnPlan { hierarchy, ..column }
}

/// Whether labels of a hierarchy are published: those of a quasi-identifier, or of the items in a cell.
fn is_generalized(role: Option<Role>, treatment: Option<&Treatment>) -> bool {
    role == Some(Role::QuasiIdentifier) || matches!(treatment, Some(Treatment::Items(_)))
}

fn merged(planned: ColumnPlan, said: ColumnPlan) -> ColumnPlan {
    let role = said.role.or(planned.role);
    let treatment = said.treatment.or(planned.treatment);
    let planned_hierarchy = planned.hierarchy.filter(|_| is_generalized(role, treatment.as_ref()));
    ColumnPlan {
        name: planned.name,
        names: planned.names,
        role,
        date_format: said.date_format.or(planned.date_format),
        decimal: said.decimal.or(planned.decimal),
        hierarchy: said.hierarchy.or(planned_hierarchy),
        keep_identifying: said.keep_identifying || planned.keep_identifying,
        spellings: said.spellings.or(planned.spellings),
        treatment,
        // A role that is given in a call is a decision of the caller.
        confirmed: planned.confirmed || said.role.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HierarchyPlan;
    use super::*;

    const PLAN: &str = "version = 1\n[source]\npath = \"a.csv\"\nnulls = [\"?\"]\n[policy]\nk = 5\nconfirmed = false\n\
        [[policy.alpha]]\ncolumn = \"illness\"\nalpha = 0.5\n\
        [[policy.rule]]\nmodel = \"p-sensitive\"\ncolumn = \"illness\"\np = 2\n\
        [[policy.rule]]\nmodel = \"t-closeness\"\ncolumn = \"illness\"\nt = 0.3\n\
        [solve]\nseed = 3\ntime = 9.0\n[release]\nreport = true\nothers = \"keep\"\n\
        [[column]]\nname = \"age\"\nrole = \"quasi-identifier\"\nhierarchy = { intervals = [5] }\nconfirmed = false\n\
        [[column]]\nname = \"sex\"\nrole = \"quasi-identifier\"\ndate_format = \"%Y\"\n\
        [[column]]\nname = \"illness\"\nrole = \"sensitive\"\nhierarchy = { file = \"unused.csv\" }\n\
        [[column]]\nname = \"id\"\nrole = \"subject\"\n";

    fn over(named: &serde_json::Value) -> Plan {
        let said = super::super::partial_plan(named.as_object().expect("an object")).expect("settings");
        Plan::parse(PLAN).expect("a plan").overlay(said)
    }

    fn roles(plan: &Plan) -> Vec<(&str, Option<Role>)> {
        plan.columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
    }

    #[test]
    fn given_settings_override_the_plan() {
        let plan = over(&serde_json::json!({ "seed": 4, "null": ["NA"], "report": false, "force": true }));
        assert_eq!((plan.solve.seed, plan.solve.time, plan.policy.k), (Some(4), Some(9.0), Some(5)));
        assert_eq!((plan.source.nulls, plan.release.report, plan.call.force), {
            (vec!["?".to_owned(), "NA".to_owned()], Some(false), true)
        });
        assert!(!plan.policy.confirmed && over(&serde_json::json!({ "k": 7 })).policy.confirmed);
    }

    #[test]
    fn given_quasi_identifiers_replace_the_planned_ones_and_keep_their_order() {
        let plan = over(&serde_json::json!({ "qi": ["town", "sex"] }));
        let (quasi, sensitive) = (Some(Role::QuasiIdentifier), Some(Role::Sensitive));
        let expected =
            [("town", quasi), ("sex", quasi), ("age", None), ("illness", sensitive), ("id", Some(Role::Subject))];
        assert_eq!(roles(&plan), expected);
        assert_eq!(plan.columns[1].date_format.as_deref(), Some("%Y"), "what else the plan says of a column stays");
        assert!(plan.columns.iter().all(|column| column.hierarchy.is_none()));
    }

    #[test]
    fn a_given_role_overrides_the_planned_one() {
        let plan =
            over(&serde_json::json!({ "sensitive": ["age"], "subject": "person", "date_format": { "sex": "%m" } }));
        let found = |name: &str| plan.columns.iter().find(|column| column.name == name).expect("a column");
        assert_eq!((found("age").role, found("age").confirmed), (Some(Role::Sensitive), true));
        assert_eq!((found("id").role, found("person").role), (None, Some(Role::Subject)));
        assert_eq!(found("sex").date_format.as_deref(), Some("%m"));
        let kept = over(&serde_json::json!({ "keep_identifying": ["age"] }));
        assert_eq!(kept.columns[0].hierarchy, Some(HierarchyPlan::Intervals(vec![5.0])));
    }

    #[test]
    fn the_hierarchy_of_a_column_is_used_if_it_is_a_quasi_identifier_or_its_items_are_generalized() {
        let hierarchy = |named: serde_json::Value| {
            let plan = over(&named);
            plan.columns.into_iter().find(|column| column.name == "illness").expect("a column").hierarchy
        };
        let planned = Some(HierarchyPlan::File("unused.csv".into()));
        assert_eq!(hierarchy(serde_json::json!({})), None);
        assert_eq!(hierarchy(serde_json::json!({ "treat": { "illness": "blank" } })), None);
        assert_eq!(hierarchy(serde_json::json!({ "treat": { "illness": "items:5,known:2,split:;" } })), planned);
        assert_eq!(hierarchy(serde_json::json!({ "qi": ["illness"] })), planned);
    }

    #[test]
    fn a_given_rule_overrides_that_of_the_same_model_and_column() {
        let plan = over(&serde_json::json!({
            "p": 3, "sensitive": ["wage"], "alpha": [{ "column": "illness", "alpha": 0.4 }],
            "rules": [{ "model": "beta-likeness", "column": "wage", "beta": 2 }],
        }));
        let rules: Vec<(&str, &str)> =
            plan.policy.rules.iter().map(|rule| (rule.model.as_str(), rule.column.as_str())).collect();
        let every = ("p-sensitive", "wage");
        assert_eq!(rules, [("t-closeness", "illness"), every, ("p-sensitive", "illness"), ("beta-likeness", "wage")]);
        assert_eq!(plan.policy.alpha.len(), 1);
    }
}
