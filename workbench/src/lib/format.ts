// Numbers and words for the screen. The formats are those of the command line: 3,000 and 1.5 %.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? "–" : whole.format(n);
}

/** A share of 0 to 1 as a percentage; small shares keep a digit so that 1 row in 10⁶ is not shown as 0 %. */
export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits) return `< ${(10 ** -digits).toFixed(digits)} %`;
  return `${value.toFixed(digits)} %`;
}

/** Information loss and its bound: four decimals, as on the command line. */
export function loss(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toFixed(4);
}

export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return "–";
  return new Intl.NumberFormat("en-US", { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);
}

/** A figure of a column of figures: always the same number of decimals, so that the points align. */
export function fixed(value: number | null | undefined, digits = 3): string {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

export function seconds(value: number): string {
  if (value < 0.05) return "< 0.1 s";
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 120) return `${Math.round(value)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function bytes(n: number | null): string {
  if (n === null) return "–";
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n;
  let unit = -1;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** An ISO time as date and minute, in the reader's time zone. */
export function moment(iso: string | null): string {
  if (!iso) return "–";
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and 3 more". */
export function list(names: string[], most = 4): string {
  if (names.length === 0) return "none";
  if (names.length > most) return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
  if (names.length === 1) return names[0] ?? "";
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Reads what a person types as a number: "1,000", "0.05", "5 %". Null if it is not one. */
export function readNumber(text: string): number | null {
  const trimmed = text.trim().replace(/,(?=\d{3}\b)/g, "");
  const match = /^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(%?)$/i.exec(trimmed);
  if (!match) return null;
  const value = Number(match[1]);
  return match[2] === "%" ? value / 100 : value;
}
