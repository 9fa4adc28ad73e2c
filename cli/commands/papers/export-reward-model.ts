// evolve export reward-model: training data and a training recipe for a reward model, from records of reviewed papers
// (AlphaResearch 2.3.1, 4.1).
import type { Command } from 'commander';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { judgeQuestion } from '../../../activities/step/ask/stages/judge.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { readReviewRecords } from '../../../client/learning/reward-model.ts';
import { taskFolder } from '../../../client/tasks/task-folder.ts';
import { REWARD_CONFIG, stepsOf } from '../../../evolution/ideas/reward-config.ts';
import {
  evalLine,
  jsonLines,
  type Split,
  SPLIT_DEFAULTS,
  splitRecords,
  type SplitSettings,
  trainLine,
} from '../../../evolution/ideas/reward-records.ts';
import { act } from '../../flags/command.ts';
import { readText } from '../../flags/settings-flags.ts';
import { answer, wholeFrom } from '../../terminal/output.ts';
import { writeWhole } from '../../../activities/whole-file.ts';

type Options = {
  readonly out: string;
  readonly trainBefore: string;
  readonly evalFrom: string;
  readonly evalCount: string;
  readonly seed: string;
  readonly task?: string;
};

export const build = (command: Command): Command =>
  command
    .argument('<records>', 'JSON lines, each {id, year, date, title, abstract, ratings[]} of a reviewed paper')
    .requiredOption('--out <folder>', 'new or empty folder for rm-train.jsonl, rm-eval.jsonl and rm-config.yaml')
    .option('--train-before <day>', 'first day that is too late for training', SPLIT_DEFAULTS.trainBefore)
    .option('--eval-from <day>', 'first day of the test', SPLIT_DEFAULTS.evalFrom)
    .option('--eval-count <n>', 'records of the test at most', String(SPLIT_DEFAULTS.evalCount))
    .option('--seed <n>', 'seed by which the records of the test are drawn', String(SPLIT_DEFAULTS.seed))
    .option('--task <task>', 'ask as the gate of this task does, where it has a prompts/judge.md of its own')
    .action(
      act(async (context, options: Options, file: string) => {
        const records = readReviewRecords(readText(file, '<records>', 'a file of JSON lines', 'records'), file);
        const split = splitOf(
          records,
          {
            trainBefore: options.trainBefore,
            evalFrom: options.evalFrom,
            evalCount: wholeFrom(options.evalCount, '--eval-count', 0),
            seed: wholeFrom(options.seed, '--seed', 0),
          },
          file,
        );
        const folder = resolve(options.out);
        writeRewardModel(split, folder, await questionOf(options.task));
        const steps = stepsOf(split.train.length);
        const [train, test] = [split.train.length, split.eval.length];
        answer(context, { folder, train, eval: test, steps, dropped: split.dropped }, () => [
          `exported to ${folder}`,
          `  rm-train.jsonl  ${train} records: ${steps} steps of training`,
          `  rm-eval.jsonl   ${test} records`,
          '  rm-config.yaml  the recipe, for Axolotl',
          ...reasons(split).map(([reason, count]) => `  left out        ${count}: ${reason}`),
        ]);
      }),
    );

/** The question of the gate of this task, or of all others. Throws UsageError where the task cannot be read. */
export const questionOf = async (task: string | undefined) =>
  judgeQuestion(
    task === undefined
      ? null
      : await taskFolder(task)
          .then((folder) => readTask(folder))
          .catch((error: Error) => {
            throw new UsageError(`--task: ${error.message}`);
          }),
  );

const splitOf = (records: Parameters<typeof splitRecords>[0], settings: SplitSettings, file: string): Split => {
  let split: Split;
  try {
    split = splitRecords(records, settings);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--train-before, --eval-from: ${error.message}`) : error;
  }
  if (split.train.length > 0) return split;
  const left = reasons(split).map(([reason, count]) => `${count} left out: ${reason}`);
  throw new UsageError(
    [
      `${file}: expected records dated before ${settings.trainBefore} to train with, got none of ${records.length}`,
      ...left,
    ].join('; '),
  );
};

/** The number of records that each reason left out. */
const reasons = ({ dropped }: Split): readonly (readonly [string, number])[] => [
  ...dropped.reduce(
    (counts, { reason }) => counts.set(reason, (counts.get(reason) ?? 0) + 1),
    new Map<string, number>(),
  ),
];

/** The recipe is written last, so that where it exists the data are complete. */
export const writeRewardModel = ({ train, eval: test }: Split, folder: string, ask = judgeQuestion(null)): void => {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`--out: expected a new or empty folder, got ${folder}, which is not empty`);
  mkdirSync(folder, { recursive: true });
  const files = [
    ['rm-train.jsonl', jsonLines(train.map((record) => trainLine(record, ask)))],
    ['rm-eval.jsonl', jsonLines(test.map(evalLine))],
    ['rm-config.yaml', REWARD_CONFIG],
  ] as const;
  for (const [name, text] of files) writeWhole(join(folder, name), text);
};
