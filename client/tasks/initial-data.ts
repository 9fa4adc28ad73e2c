// A task whose initial program holds a solution of a person's own, for instance a published construction.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GIVEN_BYTES, readGiven } from '../../activities/given-file.ts';
import { runsDirectory } from '../../deploy/host/home.ts';
import type { Place } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { taskIn } from './task-folder.ts';
import { scoreSolution, type SolutionScore } from './trial.ts';

/** The line of a start that takes such data; a start without it, and the task's own program, are replaced. */
const TAKES = /^DATA = None\b.*$/m;

const program = (entry: string, data: string): string => `# EVOLVE-BLOCK-START
"""A solution that was given when the run began."""
import json

${data}


def ${entry}(instance):
    return DATA
# EVOLVE-BLOCK-END
`;

export type WithData = {
  /** A copy of the task's folder. */
  readonly folder: string;
  /** What its evaluator gives the data, as they are. */
  readonly score: SolutionScore;
};

/**
 * Scores the solution that `text` is (JSON, as programs return it), and copies the task's folder to `runs/with-data`
 * with the solution in its initial program, or in the start `initial`. Throws UsageError where it is not valid.
 */
export const taskWithData = async (
  place: Place,
  {
    folder,
    initial,
    text,
    file,
  }: Readonly<Record<'folder' | 'text' | 'file', string>> & { readonly initial: string | null },
): Promise<WithData> => {
  const task = await taskIn(folder, { initial });
  if (task.kind !== 'solution' || task.world?.language !== undefined)
    throw new UsageError(
      `--initial-data: expected a task of kind solution whose programs are in Python, got ${task.id}`,
    );
  const score = await scoreSolution(place, { folder, solution: text, isolation: null });
  if (!score.valid)
    throw new UsageError(
      `--initial-data: expected a valid solution of ${task.id}, got ${file}: ${score.reasons.join('; ')}`,
    );
  const data = `DATA = json.loads(${JSON.stringify(text.replace(/\s+/g, ' ').trim())})`;
  const own = task.initialProgram;
  const changed = TAKES.test(own) ? own.replace(TAKES, () => data) : program(task.entry, data);
  const digest = createHash('sha256').update(`${text}\0${own}\0${task.evaluatorDigest}`).digest('hex').slice(0, 12);
  const to = join(runsDirectory(place.env), 'with-data', digest, basename(folder));
  rmSync(to, { recursive: true, force: true });
  cpSync(folder, to, { recursive: true, filter: (path) => basename(path) !== 'fixtures' });
  writeFileSync(join(to, fileOf(to, own) ?? 'initial.py'), changed);
  return { folder: to, score };
};

/** The file in `starts` that has this program. */
const fileOf = (folder: string, own: string): string | undefined => {
  const starts = existsSync(join(folder, 'starts')) ? readdirSync(join(folder, 'starts')) : [];
  return starts
    .map((name) => join('starts', name))
    .find((path) => readGiven(join(folder, path), { maxBytes: GIVEN_BYTES.task }) === own);
};
