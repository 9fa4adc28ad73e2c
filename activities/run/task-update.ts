// A new version of a run's task in mid-run: it is checked and kept, and waits for the end of the step under way, after
// which one step scores the run's programs again (activities/step/plan/rescore.ts).
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { fitProblem } from '../../evolution/methods/rules/task-fit.ts';
import { splitFiles } from '../../evolution/files/program-files.ts';
import type { Task } from '../../evolution/task/task.ts';
import { readTexts } from '../reading/reading.ts';
import { sha256 } from '../sha256.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { isKept, keepTask, type TakenTask, taskRef } from '../task/kept-task.ts';
import { standingOf } from '../task/task-digest.ts';
import { digestIn } from '../task/task-ref.ts';
import { requiredRun } from './step-summary.ts';

type Updating = {
  readonly store: Pick<Store, 'readRun' | 'putTexts' | 'putTask' | 'askRescoring'>;
  readonly loadTask: (ref: string) => Promise<Task>;
  readonly takeTask?: ((named: string) => Promise<TakenTask>) | undefined;
};

/** `at` names the change, and `step` is that after which it happens at the earliest. */
export type TaskUpdated = { readonly at: string; readonly step: number };

/**
 * `task` is a folder, or a kept task (`sha256:...`); left out, it is the folder that the settings name. Throws
 * ConfigError or TaskError, with nothing changed, where the run cannot have this version.
 */
export const updateTask = async (
  { store, loadTask, takeTask }: Updating,
  run: string,
  named: string | undefined,
): Promise<TaskUpdated> => {
  const document = await requiredRun(store, run);
  const why = unfitRun(document);
  if (why !== null) throw refusal(why);
  const taskSnapshot = await keptAs({ store, takeTask }, named ?? document.config.task);
  if (taskSnapshot === document.taskSnapshot) throw refusal('the task is as the run has it already');
  const { config } = document;
  const before = await loadTask(taskRef(document));
  const task = await loadTask(taskRef({ config, taskSnapshot }));
  const other = (await differing(before, task, config)) ?? fitting(config, task);
  if (other !== null) throw refusal(other);
  const { taskDigest, evaluatorDigest, trust } = document;
  // Limits, the reference of a clock and much else decide scores too, so no evaluation by another version counts.
  const standing = standingOf(task);
  const at = new Date();
  await store.askRescoring(run, {
    at,
    before: { taskSnapshot: document.taskSnapshot!, taskDigest, evaluatorDigest, ...(trust && { trust }) },
    after: { taskSnapshot, ...standing, evaluatorDigest: sha256(`${standing.evaluatorDigest}:${taskSnapshot}`) },
    step: null,
  });
  return { at: at.toISOString(), step: document.committedStep };
};

const refusal = (why: string): ConfigError => new ConfigError([`task update: ${why}.`]);

const unfitRun = ({ run, sweep, committedStep, config, policy, taskSnapshot }: RunDocument): string | null => {
  if (sweep !== null) return `run ${run} is of sweep ${sweep}, which compares its runs by one version of their task`;
  if (config.learning.trainer !== 'none' || policy != null)
    return `run ${run} learns, and the rewards of two versions do not compare`;
  if (committedStep < 0)
    return `run ${run} has no valid program yet: it reads the folder again by itself, on \`npx evolve retry ${run}\``;
  return taskSnapshot === undefined ? `run ${run} reads its task from the folder, and keeps no version of it` : null;
};

const keptAs = async ({ store, takeTask }: Pick<Updating, 'store' | 'takeTask'>, named: string): Promise<string> => {
  if (isKept(named)) return digestIn(named)!;
  if (takeTask === undefined) throw refusal(`expected a kept task (sha256:...), got ${JSON.stringify(named)}`);
  return keepTask(store, await takeTask(named));
};

/** What programs of the one version may not be for the other; null where they fit both. */
const differing = async (before: Task, task: Task, { diff }: RunDocument['config']): Promise<string | null> => {
  const facts = (of: Task): { readonly [key: string]: string } => ({
    kind: of.kind,
    direction: of.direction,
    language: of.world?.language ?? 'python',
    files:
      splitFiles(of.initialProgram)
        ?.map(({ name }) => name)
        .join(', ') ?? 'one file',
    entry: of.entry || 'none',
    needs: of.needs === undefined ? 'none' : canonicalJson(of.needs),
  });
  const now = facts(task);
  for (const [key, was] of Object.entries(facts(before)))
    if (now[key] !== was)
      return `expected ${key} as before (${was}), got ${now[key]}: its programs are made for that, so start a new run`;
  const [read] = await readTexts('given', [{ initial: task.initialProgram, given: before.initialProgram, diff }]);
  const closed = read?.value != null && 'reason' in read.value ? read.value.reason : null;
  return closed === null
    ? null
    : `expected the code outside the EVOLVE-BLOCK of the initial program as it was: ${closed}`;
};

const fitting = (config: RunDocument['config'], task: Task): string | null => {
  const problem = fitProblem(config, task);
  return problem && `${problem.key}: ${problem.message}`;
};
