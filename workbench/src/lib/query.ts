// Conditions of a query, written from menus. Names and values are quoted where the query language needs it.

export const comparisons: [string, string][] = [
  ["=", "is"],
  ["<>", "is not"],
  ["<", "is less than"],
  ["<=", "is at most"],
  [">", "is greater than"],
  [">=", "is at least"],
  ["LIKE", "is like (% = any text)"],
];

function columnName(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : `"${name.replace(/"/g, '""')}"`;
}

/** Numbers are written plainly; 00501 is a text, and so is everything else. */
function literal(value: string): string {
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) ? value : `'${value.replace(/'/g, "''")}'`;
}

/** Adds a condition to the WHERE of a query. */
export function addCondition(sql: string, column: string, comparison: string, value: string): string {
  const trimmed = value.trim();
  const condition = `${columnName(column)} ${comparison} ${comparison === "LIKE" ? `'${trimmed.replace(/'/g, "''")}'` : literal(trimmed)}`;
  const query = sql.trim().replace(/\s+WHERE\s*$/i, "");
  if (query === "") return `SELECT COUNT(*) WHERE ${condition}`;
  const [before, grouping = ""] = query.split(/(?=\s+GROUP\s+BY\s)/i) as [string, string?];
  return `${before}${/\sWHERE\s/i.test(before) ? " AND" : " WHERE"} ${condition}${grouping}`;
}
