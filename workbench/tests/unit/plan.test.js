import assert from "node:assert/strict";
import { test } from "node:test";

const edit = await import("../../src/lib/plan_edit.ts");
const models = await import("../../src/lib/models.ts");
const diff = await import("../../src/lib/diff.ts");

const plan = () => ({
  version: 1,
  source: { path: "t.csv" },
  policy: { k: 5, alpha: [{ column: "diagnosis", alpha: 0.5 }], rule: [{ model: "distinct-l-diversity", column: "diagnosis", l: 3 }] },
  column: [{ names: ["lab_1", "lab_2"], role: "insensitive" }, { name: "age", role: "quasi-identifier", hierarchy: { build: "flat" } }, { name: "id", role: "subject" }, { name: "diagnosis", role: "sensitive" }],
});

test("a column that shares an entry gets its own", () => {
  const edited = plan();
  edit.changeRole(edited, "lab_2", "sensitive");
  assert.deepEqual(edited.column[0].names, ["lab_1"]);
  assert.equal(edited.column[1].name, "lab_2");
  assert.equal(edited.column[1].role, "sensitive");
});

test("only one column is the subject, and only quasi-identifiers keep a hierarchy", () => {
  const edited = plan();
  edit.changeRole(edited, "age", "subject");
  assert.equal(edited.column.find((entry) => entry.name === "id").role, "identifier");
  assert.equal(edited.column.find((entry) => entry.name === "age").hierarchy, null);
});

test("rows are people, or people are counted by a subject, or nothing is decided", () => {
  const edited = plan();
  assert.equal(edit.peopleOf(edited), "subject");
  edit.changePeople(edited, "rows", null);
  assert.deepEqual([edit.peopleOf(edited), edited.source.rows_are_people, edited.column[2].role], ["rows", true, "identifier"]);
  edit.changePeople(edited, "subject", "id");
  assert.deepEqual([edit.peopleOf(edited), edited.source.rows_are_people, edited.column[2].role], ["subject", undefined, "subject"]);
  edit.changePeople(edited, "open", null);
  assert.equal(edit.peopleOf(edited), "open");
});

test("rules about a column that is no longer sensitive are removed", () => {
  const edited = plan();
  edit.changeRole(edited, "diagnosis", "insensitive");
  assert.deepEqual(edit.policyRules(edited), []);
});

test("rules of both lists are added, changed and removed", () => {
  const edited = plan();
  edit.addRule(edited, "t-closeness", "diagnosis", { t: 0.2 });
  const rules = edit.policyRules(edited);
  assert.deepEqual(rules.map((rule) => rule.model), ["alpha-deassociation", "distinct-l-diversity", "t-closeness"]);
  edit.changeRule(edited, rules[0], "alpha", "1/3");
  edit.removeRule(edited, rules[1]);
  assert.equal(edited.policy.alpha[0].alpha, "1/3");
  assert.equal(edited.policy.rule.length, 1);
});

test("parameters are read by their kind", () => {
  assert.equal(models.readParameter("whole", "5"), 5);
  assert.equal(models.readParameter("whole", "2.5"), null);
  assert.equal(models.readParameter("share", "1/3"), "1/3");
  assert.equal(models.readParameter("share", "1.5"), null);
  assert.deepEqual(models.readParameter("groups", "flu, asthma / gout"), [["flu", "asthma"], ["gout"]]);
});

test("sentences are split into texts and parameters", () => {
  assert.deepEqual(models.sentenceParts("at least {l} values"), [{ text: "at least " }, { parameter: "l" }, { text: " values" }]);
});

test("answers about rules are matched in the order of the plan", () => {
  const rules = edit.policyRules(plan());
  const answers = [{ rule: "k-anonymity" }, { rule: "distinct-l-diversity of diagnosis", feasible: false }];
  assert.deepEqual(models.matchFeasibility(rules, answers).map((answer) => answer?.feasible ?? null), [null, false]);
});

test("a difference is summarized in words", () => {
  assert.equal(diff.diffSummary([{ kind: "same", line: "" }]), null);
  assert.equal(diff.diffSummary([{ kind: "added", line: "a" }, { kind: "removed", line: "b" }]), "1 line added, 1 removed");
  assert.equal(diff.diffSign("removed"), "−");
});
