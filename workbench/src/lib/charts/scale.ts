/** Round tick values that cover [low, high]: steps of 1, 2 or 5 times a power of ten. */
export function ticks(low: number, high: number, about = 5): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** A linear scale from values to pixels. */
export function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** The end of an axis a little beyond the largest value, at a round number. */
export function niceEnd(high: number, about = 5): number {
  if (high <= 0) return 1;
  const marks = ticks(0, high * 1.02, about);
  const step = (marks[1] ?? high) - (marks[0] ?? 0);
  return Number((Math.ceil((high * 1.02) / step) * step).toPrecision(12));
}

/** Points as an SVG polyline; steps where the value keeps until the next point. */
export function stepPath(points: [number, number][]): string {
  return points
    .map(([x, y], index) => (index === 0 ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`))
    .join("");
}
