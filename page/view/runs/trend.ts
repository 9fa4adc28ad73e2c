// The line of a run's best in a small picture of 100 by 24.
type Points = readonly (readonly [step: number, best: number])[];

const [TOP, HEIGHT] = [2, 20];
const places = (value: number): number => Number(value.toFixed(2));

/** The best holds until the next one, so the line has steps. Where it never changed it lies in the middle. */
export const trendLine = (points: Points): string => {
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = Math.max(1, points.at(-1)?.[0] ?? 0);
  const y = (value: number): number => places(TOP + HEIGHT * (high === low ? 0.5 : 1 - (value - low) / (high - low)));
  const corners = points.flatMap(([step, value], index) => {
    const x = places((100 * step) / last);
    return [...(index === 0 ? [] : [`${x},${y(points[index - 1]![1])}`]), `${x},${y(value)}`];
  });
  // A run of one step is a line as well.
  return corners.length === 1 ? `0,${y(values[0]!)} 100,${y(values[0]!)}` : corners.join(' ');
};
