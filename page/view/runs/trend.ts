// The line of a run's best in a small picture of 100 by 24, as a path of SVG.
type Points = readonly (readonly [step: number, best: number])[];

const [TOP, HEIGHT] = [2, 20];
const places = (value: number): number => Number(value.toFixed(2));

/** The best holds until the next one, so the line has steps. Where it never changed it lies in the middle. */
export const trendLine = (points: Points): string => {
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = Math.max(1, points.at(-1)?.[0] ?? 0);
  const y = (value: number): number => places(TOP + HEIGHT * (high === low ? 0.5 : 1 - (value - low) / (high - low)));
  const x = (step: number): number => places((100 * step) / last);
  const corners = points.map(([step, value], index) => `${index === 0 ? `M0,` : `H${x(step)}V`}${y(value)}`);
  return `${corners.join('')}H100`;
};
