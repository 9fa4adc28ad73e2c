// What the tests of all tasks share: which tasks, which containers, and how findings are asserted.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createDockerBenches, createForkBenches } from '../support/domain/benches.ts';
import { checkTask } from '../../activities/check/check-task.ts';
import type { CheckOptions, Finding } from '../../activities/check/findings.ts';
import { listTasks, readTask } from '../../activities/task/load-task.ts';
import { ensureTaskImage } from '../../deploy/images/task/task-image.ts';
import { needsImage } from '../../evolution/task/task-world.ts';
import type { OciRuntime } from '../../evolution/types.ts';
import { containersOf, dockerHost, imageCache, testHome, testImage } from '../activities/sandbox/levels/docker.ts';

export const ROOT = join(import.meta.dirname, '..', '..', 'tasks');

/** Folders with commas, or 'all'. */
const READY = 'all';

/** EVOLVE_TASKS names some, with commas, or `all`. */
const named = process.env['EVOLVE_TASKS'] ?? READY;
export const TASKS: readonly string[] = named === 'all' ? await listTasks() : named.split(',');

/** Whether the folders are all there: what is said of all tasks together is checked only then. */
export const EVERY = named === 'all';

const says = (id: string, line: RegExp): boolean =>
  line.test(readFileSync(join(existsSync(id) ? id : join(ROOT, id), 'task.yaml'), 'utf8'));
/** The quickest one first: it meets every cheat. */
export const FUNCTION_TASKS = TASKS.filter((id) => says(id, /^kind: function$/m)).sort(
  (a, b) => Number(b === 'tsp-gls') - Number(a === 'tsp-gls'),
);
export const SOLUTION_TASKS = TASKS.filter((id) => !FUNCTION_TASKS.includes(id));
const isSingleUse = (task: string): boolean => says(task, /^timed: true$/m);

/** A time is not scored under another kernel, and in single-use containers only. */
export const TIMED = TASKS.filter(isSingleUse);

/**
 * Function tasks whose programs take from 10 to 40 s of CPU on all instances. `npm test` meets their evaluators with
 * golden cases and cheats.
 */
export const LONG_FUNCTIONS: readonly string[] = [
  'blackbox-optimization',
  'efficient-convolution',
  'flow-shop',
  'online-bin-packing',
  'pde-solver',
  'tsp-gls',
];

/** Those whose golden programs take as long. */
export const LONG_GOLDEN: readonly string[] = ['blackbox-optimization', 'efficient-convolution', 'pde-solver'];

/** So many cheats of each kind; EVOLVE_SEED draws others. */
export const sampled = (count: number): { readonly count: number; readonly seed: number } => ({
  count,
  seed: Number(process.env['EVOLVE_SEED'] ?? 1),
});

export type Checks = {
  check(task: string, options: Omit<CheckOptions, 'bench'>): Promise<readonly Finding[]>;
  close(): Promise<void>;
};

/**
 * Containers of a home of their own, on the level that a run of the task gets, or on `docker`; `close` looks that none is left. The default engine is that of the machine, with
 * its own runtime.
 */
export const openChecks = async (
  level: 'auto' | 'docker',
  engine: { readonly dockerHost: string; readonly runtime: OciRuntime } | null = null,
): Promise<Checks> => {
  const home = testHome();
  const host = engine?.dockerHost ?? dockerHost;
  const base = await testImage(host);
  const opened = new Map<string, ReturnType<typeof createDockerBenches>>();
  const benches = (image: string, isAlone: boolean) => {
    const key = `${image} ${isAlone}`;
    const options = { dockerHost: host, runtime: engine?.runtime, image, home, concurrency: 2, log: () => undefined };
    const made = opened.get(key) ?? (isAlone ? createDockerBenches : createForkBenches)(options);
    opened.set(key, made);
    return made;
  };
  /** With the toolchain of its language, where it has one. */
  const imageOf = async (folder: string): Promise<string> => {
    const { world } = await readTask(existsSync(folder) ? folder : join(ROOT, folder));
    const place = { dockerHost: host, base, home: 'cccccccccccc' };
    return needsImage(world) ? ensureTaskImage(world!, { ...place, cacheDir: imageCache, say: console.log }) : base;
  };
  return {
    check: async (task, more) =>
      checkTask(task, { ...more, bench: benches(await imageOf(task), level === 'docker' || isSingleUse(task)).make }),
    close: async () => {
      await Promise.all([...opened.values()].map((one) => one.close()));
      expect(await containersOf(home, host)).toEqual([]);
    },
  };
};

/** What is wrong, as lines; a check that looked at nothing is wrong too. */
export const faults = (findings: readonly Finding[]): readonly string[] =>
  findings.length === 0
    ? ['nothing was checked']
    : findings.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);
