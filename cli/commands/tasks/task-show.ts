// evolve task show: what a program of the task must do, its limits, the values it is compared with and, with --prompts,
// what a model is told.
import { taskFolder, taskIn } from '../../../client/tasks/task-folder.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { act, type Build } from '../../flags/command.ts';
import { json, line, lines, score } from '../../terminal/output.ts';
import { widthOf } from '../../terminal/screen.ts';
import { table } from '../../terminal/table.ts';
import { initialText, taskFacts } from './task-list.ts';

type Options = { readonly prompts?: boolean; readonly code?: boolean };

export const build: Build = (command) =>
  command
    .argument('<task>', 'id of the task, or its folder')
    .option('--prompts', 'also print what models read: the problem statement, its advice, what metrics mean')
    .option('--code', 'also print the initial program')
    .action(
      act(async (context, options: Options, named: string) => {
        const folder = await taskFolder(named);
        const task = await taskIn(folder);
        if (context.json)
          return json({
            ...taskFacts(task),
            folder,
            instance: task.instance,
            instances: task.instances ?? [],
            starts: task.starts ?? [],
            ...(options.prompts
              ? { problem: task.problem ?? null, prompts: task.prompts, metrics: task.metrics ?? {} }
              : {}),
            ...(options.code ? { initialProgram: task.initialProgram } : {}),
          });
        lines(taskLines(task, folder, widthOf(process.stdout)));
        for (const text of textLines(task, options)) line(text);
      }),
    );

const seconds = ({ limits }: Task): string =>
  `${limits.cpuSeconds} s of CPU, ${limits.wallSeconds} s of wall clock, ${Math.round(limits.memoryBytes / 2 ** 20)} MiB, ${limits.cores === 1 ? 'one core' : `${limits.cores} cores`}`;

const taskLines = (task: Task, folder: string, width: number): readonly string[] => [
  `${task.id}: ${task.title}`,
  `kind      ${task.kind === 'solution' ? `${task.entry}(instance) hands back a solution` : `the evaluator calls ${task.entry}`}${task.timed ? ', timed' : ''}`,
  `score     ${task.scoreName}, to ${task.direction}`,
  `instance  ${JSON.stringify(task.instance)}`,
  `limits    ${seconds(task)}`,
  `initial   ${initialText(task)}`,
  ...(task.starts ?? []).map((start) => `start     ${start.name}: ${start.what}; ${initialText({ initial: start })}`),
  ...(task.instances ?? []).map(
    ({ name, what, fixed }) => `variant   ${name}: ${what}${fixed ? ', fixed' : ', drawn'}`,
  ),
  ...(task.bound ? [`bound     ${score(task.bound.value)} (${task.bound.source})`] : []),
  ...(task.shaping
    ? [`shaping   L ${task.shaping.lower}, U ${task.shaping.upper}, alpha ${task.shaping.alpha}, k ${task.shaping.k}`]
    : []),
  ...(task.features?.length
    ? [
        `features  ${task.features.map((feature) => (typeof feature === 'string' ? feature : `${feature.name} ${feature.min ?? ''} to ${feature.max ?? ''}`)).join(', ')}`,
      ]
    : []),
  `folder    ${folder}`,
  ...(task.references.length === 0
    ? []
    : [
        '',
        ...table(
          [
            ['reference', 'value', 'check', 'source'],
            ...task.references.map(({ name, value, strict, tolerance, best, paper, source, fetch }) => [
              `${name}${best ? ' (best known)' : ''}${paper === undefined ? '' : ` [${paper}]`}`,
              score(value),
              strict ? 'strict' : tolerance === undefined ? 'tolerant' : `within ${tolerance}`,
              fetch === undefined ? source : `${source}; ${fetch}`,
            ]),
          ],
          { width, drop: ['check'], cut: { reference: 20, source: 20 } },
        ),
      ]),
];

const textLines = (task: Task, { prompts, code }: Options): readonly string[] => [
  ...(prompts
    ? [
        ...(task.problem == null ? [] : ['', '--- problem', task.problem]),
        ...task.prompts.flatMap(({ name, weight, text }) => ['', `--- prompt ${name}, weight ${weight}`, text]),
        ...(task.metrics === undefined ? [] : ['', '--- metrics']),
        ...Object.entries(task.metrics ?? {}).map(([name, says]) => `${name}: ${says}`),
      ]
    : []),
  ...(code ? ['', '--- initial program', task.initialProgram.trimEnd()] : []),
];
