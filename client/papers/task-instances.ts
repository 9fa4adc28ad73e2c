// One program on variants of its task, beside the rows of the papers' tables for them (CodeEvolve Tables 3 to 5).
import type { Store } from '../../activities/store/store.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { TaskVariant } from '../../evolution/task/task.ts';
import type { Place } from '../connect/connection.ts';
import { BadEndError, UsageError } from '../connect/errors.ts';
import { taskIn } from '../tasks/task-folder.ts';
import { tryProgram } from '../tasks/trial.ts';

export type InstanceRow = {
  readonly instance: string;
  readonly what: string;
  /** True where every call gets the same data; other variants are drawn, the same for all calls in a data directory. */
  readonly fixed: boolean;
  readonly outcome: string;
  readonly score: number | null;
  readonly strictScore: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
  readonly reasons: readonly string[];
  /** The row of a paper's table, with our value in the same unit; null where no table has one. */
  readonly table: {
    readonly title: string;
    readonly ours: number | null;
    readonly values: { readonly [whose: string]: number };
  } | null;
};

type OnInstances = {
  readonly folder: string;
  readonly code: string;
  /** Names of variants, or `all`, or `tables`: those for which a paper's table has a row. */
  readonly instances: string;
  readonly seed: number;
  readonly smoke: boolean;
  readonly isolation: string | null;
};

/** Evaluates the program on each variant, in the order of task.yaml. Throws UsageError with the possible names. */
export const scoreOnInstances = async (
  place: Place,
  { folder, code, instances, ...how }: OnInstances,
  onRow: (row: InstanceRow) => void,
): Promise<readonly InstanceRow[]> => {
  const rows: InstanceRow[] = [];
  for (const variant of chosen(await variantsIn(folder), instances)) {
    const task = await taskIn(folder, { instance: variant.name });
    const one = { task, code, ...how };
    const [trial] = await tryProgram(place, one);
    const { outcome, score, strictScore, metrics, reasons } = trial!.evaluation;
    const { name, what, fixed, table } = variant;
    const value = table === undefined ? undefined : table.metric === task.scoreName ? score : metrics[table.metric];
    const row: InstanceRow = {
      instance: name,
      what,
      fixed,
      outcome,
      score,
      strictScore,
      metrics,
      reasons,
      table:
        table === undefined
          ? null
          : {
              title: table.title,
              ours: typeof value === 'number' ? value * table.scale : null,
              values: table.values,
            },
    };
    rows.push(row);
    onRow(row);
  }
  return rows;
};

const variantsIn = async (folder: string): Promise<readonly TaskVariant[]> => {
  const { id, instances = [] } = await taskIn(folder);
  if (instances.length === 0) throw new UsageError(`--instances: ${id} has no variants (instances of its task.yaml)`);
  return instances;
};

const chosen = (variants: readonly TaskVariant[], wanted: string): readonly TaskVariant[] => {
  if (wanted === 'all') return variants;
  if (wanted === 'tables') return variants.filter(({ table }) => table !== undefined);
  const names = wanted.split(',');
  const unknown = names.filter((name) => !variants.some((variant) => variant.name === name));
  if (unknown.length > 0)
    throw new UsageError(
      `--instances: expected all, tables, or names out of ${variants.map(({ name }) => name).join(', ')}, separated by commas, got ${unknown.join(', ')}`,
    );
  return variants.filter(({ name }) => names.includes(name));
};

/** The text of a run's best program. Throws BadEndError where it has none. */
export const bestCodeOf = async (store: Store, { run, best }: RunDocument): Promise<string> => {
  const program = best === null ? undefined : (await store.getPrograms([best.program])).get(best.program);
  const code = program?.code == null ? undefined : (await store.getTexts([program.code])).get(program.code);
  if (code === undefined) throw new BadEndError(`run ${run} has no valid program yet`);
  return code;
};
