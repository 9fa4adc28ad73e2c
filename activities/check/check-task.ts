// Checks a task's folder from its shape to its cheats: `evolve task check` and the tests of test/tasks (docs/tasks.md, What is checked).
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Task } from '../../evolution/task.ts';
import { loadTask, readTask } from '../task/load-task.ts';
import { checkCheats } from './check-cheats.ts';
import { checkFiles } from './check-files.ts';
import { checkGold, checkGolden, checkHonest } from './check-fixtures.ts';
import { checkInitial } from './check-initial.ts';
import { CHECK_PARTS } from './types.ts';
import type { Bench, CheckOptions, CheckPart, Context, Finding } from './types.ts';

const ROOT = join(import.meta.dirname, '..', '..', 'tasks');

const PARTS: { readonly [part in CheckPart]: (context: Context) => Promise<void> } = {
  files: checkFiles, golden: checkGolden, honest: checkHonest, gold: checkGold, initial: checkInitial, cheats: checkCheats,
};

/** One bench for each task that differs in what runs, made when first asked for. */
const createBenches = (make: CheckOptions['bench']) => {
  const open = new Map<string, Bench>();
  return {
    of: (task: Task): Bench => {
      const key = JSON.stringify([task.limits, task.instance, task.evaluatorSource.length, task.runtime === undefined]);
      const bench = open.get(key) ?? make(task);
      open.set(key, bench);
      return bench;
    },
    close: async (): Promise<void> => { await Promise.all([...open.values()].map(bench => bench.close())); },
  };
};

const folderOf = (task: string, root: string): string => (existsSync(join(task, 'task.yaml')) ? resolve(task) : join(root, task));

/** A task by its id, or by its folder. Findings in the order in which they were made, but cheats, which run side by side.
 *  Throws InfrastructureError, and the signal's reason; what is wrong with the task is a finding. */
export const checkTask = async (task: string, options: CheckOptions): Promise<readonly Finding[]> => {
  const root = options.root ?? ROOT;
  const folder = folderOf(task, root);
  const findings: Finding[] = [];
  const note = (check: string, ok: boolean, detail: string): void => {
    const finding = { task: basename(folder), check, ok, detail };
    findings.push(finding);
    options.say?.(finding);
  };
  let loaded: Task;
  try {
    loaded = existsSync(folder) ? await readTask(folder, root) : await loadTask(task, root);
  } catch (error) {
    note('task.yaml', false, (error as Error).message);
    return findings;
  }
  const benches = createBenches(options.bench);
  const signal = options.signal ?? new AbortController().signal;
  const context: Context = { task: loaded, folder, root, options, signal, note, bench: (other = loaded) => benches.of(other) };
  try {
    for (const part of CHECK_PARTS.filter(one => (options.parts ?? CHECK_PARTS).includes(one))) {
      signal.throwIfAborted();
      try {
        await PARTS[part](context);
      } catch (error) {
        if (!isFixture(error)) throw error;
        note(part, false, error.message);
      }
    }
    return findings;
  } finally {
    await benches.close();
  }
};

const isFixture = (error: unknown): error is Error => error instanceof Error && error.name === 'FixtureError';
