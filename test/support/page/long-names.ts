// The recorded run with long names: of the run, its models, the reasons of its failures; beside two other runs of which
// the settings differ in long values.
import { type Documents, type MemoryStore, RECORDED, recordedDocuments, storeOf } from './recorded.ts';

export const LONG_RUN = 'circles-26-with-hints-and-two-models-2026-11-28-second-try';
const OTHER_RUN = 'circles-26-with-another-seed-and-longer-hints-2026-11-29';
const LONG_MODEL = 'organisation-of-somebody/a-model-with-a-long-name-Instruct-2511-FP8-dynamic';
const LONG_REASON =
  'expected radii whose circles lie within the unit square and do not overlap, got circles_that_overlap_by[0.000123456789] ';
const HINTS = [
  'try a hexagonal arrangement with one circle left out at the corner',
  'grow the radii with a linear program',
];

type Row = Record<string, any>;

/** A row in which all texts of ours name the run `run`. */
const renamed = (value: unknown, run: string, key = ''): unknown => {
  if (typeof value === 'string') {
    if (value === RECORDED || value.startsWith(`${RECORDED}:`)) return value.replace(RECORDED, run);
    if (value === 'offline-gp' && key === 'model') return LONG_MODEL;
    return key === 'reason' || key === 'reasons' ? `${LONG_REASON}${value}` : value;
  }
  if (Array.isArray(value)) return value.map((one) => renamed(one, run, key));
  if (value === null || typeof value !== 'object' || value instanceof Date || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renamed(inner, run, name)]));
};

/** The rows of a collection: of the run in full, and of another one what lists of runs read. */
const beside = (name: string, rows: readonly Row[]): Row[] => {
  if (name === 'blobs' || name === 'tasks') return [...rows];
  const named = rows.map((row) => renamed(row, LONG_RUN) as Row);
  if (name !== 'runs' && name !== 'steps') return named;
  const other = rows.map((row) => renamed(row, OTHER_RUN) as Row);
  if (name === 'runs')
    for (const row of other) {
      row['config'] = { ...row['config'], seed: 8, batch: 12, prompt: { ...row['config'].prompt, hints: HINTS } };
      row['best'] = { ...row['best'], score: row['best'].score / 2, strictScore: row['best'].strictScore / 2 };
    }
  return [...named, ...other];
};

export const longNamedStore = (): Promise<MemoryStore> => {
  const documents: Documents = new Map();
  for (const [name, rows] of recordedDocuments()) documents.set(name, beside(name, rows));
  return storeOf(documents);
};

/** Views of that run that no tab names. */
export const longNamedViews = async ({ store }: MemoryStore): Promise<readonly string[]> => [
  `#/run/${LONG_RUN}/program/${encodeURIComponent((await store.readRun(LONG_RUN))!.best!.program)}`,
  `#/run/${LONG_RUN}/programs?q=radii`,
  `#/run/${LONG_RUN}/map?show=programs`,
  `#/run/${LONG_RUN}/settings?change=1`,
  `#/compare?runs=${LONG_RUN},${OTHER_RUN}`,
];
