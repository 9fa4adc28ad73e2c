// evolve task check: checks everything that a task's folder promises: schema, initial program, golden and gold
// solutions, and that no cheat pays.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listTasks } from '../../../activities/task/load-task.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { taskFolder, TASKS } from '../../../client/tasks/task-folder.ts';
import { checkFolders, type Finding } from '../../../client/tasks/trial.ts';
import { nextRung, TRUST, type Trust, trustText } from '../../../evolution/task/trust.ts';
import { withTrialModels } from '../../flags/agreed.ts';
import { act, type Build } from '../../flags/command.ts';
import { type ModelFlags, withModelFlags } from '../../flags/settings-flags.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer, line } from '../../terminal/output.ts';
import { ISOLATION } from './task-score.ts';

/** The same list as CHECK_PARTS, repeated here so that help and completion load no check. */
const PARTS = ['files', 'golden', 'honest', 'gold', 'initial', 'cheats'];

type Options = ModelFlags & {
  readonly all?: boolean;
  readonly full?: boolean;
  readonly only?: string;
  readonly strict?: boolean;
  readonly verbose?: boolean;
  readonly isolation?: string;
};

export const build: Build = (command) =>
  withModelFlags(command)
    .argument('[task]', 'id of the task, or its folder')
    .option('--all', 'every task')
    .option('--full', 'run initial programs to their end, even where the task offers a quick run')
    .option('--strict', 'all that a task of tasks/ must have; elsewhere the default is what it needs to run')
    .option('--only <parts>', `only these parts, separated by commas: ${PARTS.join(', ')}`)
    .option('--verbose', 'also print the checks that passed')
    .option(...ISOLATION)
    .action(
      act(async (context, options: Options, named: string | undefined) => {
        if ((named === undefined) === (options.all !== true)) throw new UsageError('expected either a task or --all');
        const parts = options.only?.split(',').map((part) => part.trim()) ?? null;
        const unknown = parts?.find((part) => !PARTS.includes(part));
        if (unknown !== undefined)
          throw new UsageError(`--only: expected some of ${PARTS.join(', ')}, got "${unknown}"`);
        const folders = await Promise.all((named === undefined ? await listTasks() : [named]).map(taskFolder));
        const strict = options.strict === true || folders.every((folder) => dirname(folder) === TASKS);
        return withTrialModels(context, options, { folder: folders[0]!, evaluations: 1 }, async (models) => {
          const { findings, levels } = await checkFolders(
            context,
            {
              ...{ folders, models },
              parts: parts ?? (strict ? null : partsToRun(folders[0]!)),
              full: options.full === true,
              isolation: options.isolation ?? null,
            },
            (finding) => {
              if (!context.json && (options.verbose || !finding.ok)) line(findingLine(finding));
            },
          );
          const bad = findings.filter(({ ok }) => !ok);
          const level = lowest(Object.values(levels));
          answer(context, { ok: bad.length === 0, level, next: nextRung(level), levels, findings }, () => [
            ...totals(findings),
            ...Object.entries(levels).map(([task, own]) => levelLine(task, own)),
            ...(strict || parts !== null
              ? []
              : ['it runs; --strict also checks what a task for others must have']
            ).slice(bad.length),
          ]);
          return bad.length === 0 ? EXIT.well : EXIT.bad;
        });
      }),
    );

/** The parts for which the folder has fixtures, and its initial program. */
const partsToRun = (folder: string): readonly string[] =>
  PARTS.filter((part) =>
    part === 'initial'
      ? true
      : part !== 'files' &&
        FIXTURES.some((name) => name.startsWith(part) && existsSync(join(folder, 'fixtures', name))),
  );
const FIXTURES = ['golden.json', 'honest.json', 'gold', 'cheats'];

const findingLine = ({ task, check, ok, detail }: Finding): string =>
  `${ok ? 'ok  ' : 'FAIL'}  ${task}  ${check}: ${detail}`;

/** The rung of the task, or of the least trusted of several. */
const lowest = (levels: readonly (Trust | null)[]): Trust | null =>
  levels.includes(null) ? null : (TRUST.find((rung) => levels.includes(rung)) ?? null);

const levelLine = (task: string, level: Trust | null): string => {
  const next = nextRung(level);
  return `${task}: ${level === null ? 'no level yet' : trustText(level)}${next === null ? '' : `; the next level needs ${next}`}`;
};

const totals = (findings: readonly Finding[]): readonly string[] =>
  [...Map.groupBy(findings, ({ task }) => task)].map(([task, own]) => {
    const bad = own.filter(({ ok }) => !ok).length;
    return `${task}: ${own.length} checks, ${bad === 0 ? 'all well' : `${bad} failed`}`;
  });
