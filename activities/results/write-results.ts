// The files that a run leaves for people and tools: the folder runs/<id>/ with best.py (best.cpp, ...), or best/ and
// best.patch, solution.json, best.svg,
// config.yaml and summary.json. The run itself has it written when it ends, however it was started and whoever watches
// it.
import { ApplicationFailure } from '@temporalio/activity';
import { mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { languageNameOf, withoutMarkers } from '../../evolution/edits/language.ts';
import { isHiddenPath, splitFiles } from '../../evolution/files/program-files.ts';
import { type LanguageName, LANGUAGE_NAMES, LANGUAGES } from '../../evolution/task/languages.ts';
import { patchOf } from '../../evolution/files/patch.ts';
import { circlesOf, circlesSvg } from '../../evolution/reports/circles.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { type Task, taskName } from '../../evolution/task/task.ts';
import { inJson, visible } from '../../evolution/visible.ts';
import type { ResultActivities } from '../interface/results.ts';
import { withUnanswered } from '../store/steps/bookings.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { writeWhole } from '../whole-file.ts';
import { type ProgramTexts, readProgram } from './program-texts.ts';

export type ResultDeps = {
  readonly store: Store;
  readonly loadTask: (ref: string) => Promise<Task>;
  /** The content of summary.json on a run; the best program's reward and idea are added to its `best`. */
  readonly report: (run: RunDocument) => { readonly best: object | null };
};

/** In the order in which they are written: where summary.json exists, the others are complete. */
type Contents = ReadonlyMap<string, string>;
const nameOfBest = (language: LanguageName = 'python'): string => `best.${LANGUAGES[language].extension}`;

/** What an end may leave that a later one does not. */
const OF_THE_BEST = [
  ...LANGUAGE_NAMES.map((name) => nameOfBest(name)),
  ...['best', 'best.patch', 'solution.json', 'best.svg'],
];

/**
 * Writes the files of a run as it stands into a folder, and returns the names of those that exist now. Nobody ever sees
 * half a file, and two who write at the same time do not disturb each other.
 */
export const writeFiles = async (deps: ResultDeps, run: RunDocument, directory: string): Promise<readonly string[]> => {
  const contents = await contentsOf(deps, run);
  writeInto(directory, contents);
  return [...contents.keys()];
};

const writeInto = (directory: string, contents: Contents): void => {
  mkdirSync(directory, { recursive: true });
  for (const name of OF_THE_BEST)
    if (!contents.has(name)) rmSync(join(directory, name), { force: true, recursive: true });
  for (const [name, text] of contents) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeWhole(path, text);
  }
};

/** The same by their names, as texts. */
export const contentsOf = async ({ store, loadTask, report }: ResultDeps, run: RunDocument): Promise<Contents> => {
  const best = run.best === null ? null : await readProgram(store, run.best.program);
  // A task that was removed since has no picture and no patch.
  const task = await loadTask(taskRef(run)).catch(() => null);
  const patch = task?.script && best?.code ? patchOf(task, best.code) : null;
  return new Map([
    ...bestFiles(run, task?.picture ?? null, best),
    ...(patch === null ? [] : [['best.patch', patch] as const]),
    [
      'config.yaml',
      `# Settings of run ${run.run}, complete. \`npx evolve run --config config.yaml\` repeats them.\n${settingsText(run.config)}`,
    ],
    ['summary.json', `${jsonText(withBest(report(run), best))}\n`],
  ]);
};

const jsonText = (value: unknown): string => inJson(JSON.stringify(value, null, 2));

/** YAML; as JSON, which is YAML too, where a name holds characters that YAML would write as they are. */
const settingsText = (config: RunDocument['config']): string => {
  const text = stringify(config);
  return visible(text) === text ? text : `${jsonText(config)}\n`;
};

/** With the reward of the best program, and the idea that it carries out. */
const withBest = (report: { readonly best: object | null }, found: ProgramTexts | null): object =>
  report.best === null || found === null
    ? report
    : {
        ...report,
        best: {
          ...report.best,
          reward: found.program.reward,
          ...(found.idea === null ? {} : { idea: found.idea }),
        },
      };

const bestFiles = (
  run: RunDocument,
  picture: Task['picture'],
  best: ProgramTexts | null,
): readonly (readonly [string, string])[] => {
  if (run.best === null || best === null) return [];
  const { score, strictScore, step } = run.best;
  const circles =
    picture === 'circles-in-unit-square' && best.solution !== null ? circlesOf(parsed(best.solution)) : null;
  return [
    ...programFiles(best.code),
    ...(best.solution === null ? [] : [['solution.json', `${best.solution.trimEnd()}\n`] as const]),
    ...(circles === null
      ? []
      : [
          [
            'best.svg',
            circlesSvg(circles, {
              title: `${run.run}: ${Number(rankingScore(run.best, run.config.evaluation.scoring).toPrecision(10))}`,
              score,
              strictScore,
              detail: `${taskName(run.config.task)} · run ${run.run} · step ${step} · ${run.offlineModel ? 'no language model' : run.config.model.name}`,
            }),
          ] as const,
        ]),
  ];
};

/** A program of several files keeps their names; nothing hidden is written. */
const programFiles = (code: string | null): readonly (readonly [string, string])[] =>
  code === null
    ? []
    : (splitFiles(code)?.flatMap(({ name, text }) => (isHiddenPath(name) ? [] : [[`best/${name}`, text] as const])) ?? [
        [nameOfBest(languageNameOf(code)), withoutMarkers(code)],
      ]);

/** Null where a solution is no JSON, which the evaluator may return. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A full disk is seldom empty again in a moment, and the end of the run waits meanwhile. */
const TRIES = 3;
const AGAIN_MS = 500;
/** An id that is a path would lead out of the folder. */
const RUN_ID = /^[a-z0-9-]{1,60}$/;

/** `directory` holds the folders of all runs. */
export const createResults = (deps: ResultDeps & { readonly directory: string }): ResultActivities => ({
  async writeResults({ run }) {
    if (!RUN_ID.test(run))
      throw ApplicationFailure.nonRetryable(
        `writeResults: run: expected 1 to 60 of the characters a-z, 0-9 and -, got ${JSON.stringify(run.slice(0, 100))}`,
        'BadRequest',
      );
    const directory = join(deps.directory, run);
    for (let attempt = 1; ; attempt += 1) {
      const document = await deps.store.readRun(run);
      if (document === null) return null;
      const contents = await contentsOf(deps, (await withUnanswered(deps.store, [document]))[0]!);
      const failure = tried(() => writeInto(directory, contents));
      // An attempt that was held up may have written an older state over a newer one, so both look once more.
      const settled = failure === null && isSame(document, await deps.store.readRun(run));
      if (attempt < TRIES && !settled) {
        await sleep(failure === null ? 0 : AGAIN_MS);
        continue;
      }
      const files = [...contents.keys()];
      const results = { host: hostname(), directory, files, failure, endedAt: document.endedAt };
      await deps.store.setFields(run, { results });
      return { host: hostname(), directory, failure };
    }
  },
});

const tried = (write: () => void): string | null => {
  try {
    write();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const isSame = (before: RunDocument, after: RunDocument | null): boolean =>
  after !== null &&
  after.status === before.status &&
  after.committedStep === before.committedStep &&
  after.generation === before.generation &&
  after.configVersion === before.configVersion &&
  after.endedAt?.getTime() === before.endedAt?.getTime();
