// The worth of a run's models: shares, cost, valid programs and gain, summed up in the browser over the rows of the
// run; and GET runs/<run>/models, the rest. All functions are pure.
import type { Direction } from '../../../evolution/types.ts';
import { columnOf, isRecord, type Rows } from '../rows/rows.ts';

/** One model of the settings as it is asked now. */
export type AskedModel = {
  readonly name: string;
  readonly endpoint: string;
  readonly roles: readonly string[];
  readonly weight: number;
  readonly price: { readonly in: number; readonly out: number } | null;
  readonly perMinute: { readonly requests: number | null; readonly tokens: number | null } | null;
  /** The shares of its endpoint's rate; null where no rate is set. */
  readonly shares: readonly number[] | null;
  /** The longest time for which the endpoint asked to be left alone, as the workers noted it. */
  readonly pausedSeconds: number;
};

export type Models = {
  readonly models: readonly AskedModel[];
  readonly direction: Direction;
  /** The score that ranks. */
  readonly scoring: 'tolerant' | 'strict';
  /** Requests that were sent and have no answer that counts, by model; `reasons` are the newest ones. */
  readonly unanswered: readonly {
    readonly model: string;
    readonly requests: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly reasons: readonly string[];
  }[];
  readonly waiting: number;
  /** The sums of all committed steps, with stages and embeddings. */
  readonly total: { readonly tokensIn: number; readonly tokensOut: number; readonly costUsd: number };
};

export type ModelLine = {
  /** '' for programs that no model answered. */
  readonly model: string;
  readonly programs: number;
  readonly valid: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costUsd: number;
  /** Programs that are better than their parent, and by how much together. */
  readonly improved: number;
  readonly gain: number;
  /** Programs that were the best of the run after their step. */
  readonly records: number;
};

/** The one with most programs comes first. */
export const modelLines = (
  rows: Rows,
  { direction, scoring }: Pick<Models, 'direction' | 'scoring'>,
): readonly ModelLine[] => {
  const valid = rows.names.outcomes.indexOf('valid');
  const [model, outcome, parent] = ['model', 'outcome', 'parent'].map((name) => columnOf(rows, name));
  const [tokensIn, tokensOut, cost, score] = [
    'tokensIn',
    'tokensOut',
    'costUsd',
    scoring === 'strict' ? 'strictScore' : 'score',
  ].map((name) => columnOf(rows, name));
  const lines = rows.names.models.map((name) => ({
    model: name,
    ...{ programs: 0, valid: 0, tokensIn: 0, tokensOut: 0, costUsd: 0, improved: 0, gain: 0, records: 0 },
  }));
  for (let row = 0; row < rows.rows; row++) {
    const line = lines[model![row]!];
    if (line === undefined) continue;
    line.programs += 1;
    line.tokensIn += tokensIn![row]!;
    line.tokensOut += tokensOut![row]!;
    line.costUsd += cost![row]!;
    if (outcome![row] !== valid) continue;
    line.valid += 1;
    if (isRecord(rows, row)) line.records += 1;
    const before = parent![row]!;
    // NaN where either has no score, which is better than nothing and worse than nothing.
    const gain = before < 0 ? Number.NaN : (score![row]! - score![before]!) * (direction === 'maximise' ? 1 : -1);
    if (gain > 0) {
      line.improved += 1;
      line.gain += gain;
    }
  }
  return lines.filter(({ programs }) => programs > 0).sort((a, b) => b.programs - a.programs);
};

/** One model alone has nothing beside which it is worth more or less. */
export const worthTitle = (lines: readonly ModelLine[]): string =>
  lines.length > 1 ? 'What the models were worth' : 'What came of the answers';

/** Shares of the models in windows of about as many rows each, for a plot; `x` is the row where a window ends. */
export const modelShares = (
  rows: Rows,
  models: readonly string[],
  windows: number,
): { readonly x: readonly number[]; readonly shares: readonly (readonly number[])[] } => {
  const column = columnOf(rows, 'model');
  const places = models.map((name) => rows.names.models.indexOf(name));
  const size = Math.max(1, Math.ceil(rows.rows / windows));
  const x: number[] = [];
  const shares: number[][] = models.map(() => []);
  for (let from = 0; from < rows.rows; from += size) {
    const until = Math.min(rows.rows, from + size);
    const counts = new Uint32Array(rows.names.models.length);
    let total = 0;
    for (let row = from; row < until; row++) {
      const index = column[row]!;
      if (!places.includes(index)) continue;
      counts[index]! += 1;
      total += 1;
    }
    if (total === 0) continue;
    x.push(until);
    for (const [place, index] of places.entries()) shares[place]!.push(counts[index]! / total);
  }
  return { x, shares };
};
