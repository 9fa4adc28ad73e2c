// evolve prompt: exactly what a model was sent for a group of a step, every message with its role, and its answers in
// the stages before the programs.
import { UsageError } from '../../../client/connect/errors.ts';
import { PROMPT_STAGES, promptOf, type PromptReport, type PromptStage } from '../../../client/read/requests/prompts.ts';
import { amount } from '../../../evolution/reports/number-text.ts';
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { answer, wholeFrom } from '../../terminal/output.ts';

type Options = { readonly step?: string; readonly group?: string; readonly stage?: string };

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--step <n>', 'the step (default: the newest that is planned)')
    .option('--group <g>', "the group, one of the step's parents (default: 0)")
    .option('--stage <name>', `only one of ${PROMPT_STAGES.join(', ')}`)
    .action(
      act(async (context, { step, group, stage }: Options, id: string) => {
        if (stage !== undefined && !PROMPT_STAGES.includes(stage as PromptStage))
          throw new UsageError(`--stage: expected one of ${PROMPT_STAGES.join(', ')}, got "${stage}"`);
        const query = {
          ...(step === undefined ? {} : { step: wholeFrom(step, '--step', 0) }),
          ...(group === undefined ? {} : { group: wholeFrom(group, '--group', 0) }),
          ...(stage === undefined ? {} : { stage: stage as PromptStage }),
        };
        const report = await withStoredRun(context, id, (run, store) => promptOf(store, run, query));
        answer(context, report, () => promptLines(report), { whole: true });
      }),
    );

export const promptLines = ({
  run,
  step,
  group,
  parent,
  island,
  part,
  operator,
  settings,
  disclosed,
  shares,
  commonPrefix,
  stages,
  programs,
}: PromptReport): readonly string[] => [
  `prompt    run ${run}, step ${step}, group ${group}`,
  `from      ${parent}, island ${island}, part ${part}${operator === null ? '' : `, ${operator}`}, settings ${settings}`,
  ...(disclosed ?? []).map(
    ({ id, level, tokens }) => `disclosed ${id}  ${level} (${LEVELS[level]}), about ${tokens} tokens`,
  ),
  ...(shares === null
    ? []
    : [
        `characters ${Object.entries(shares)
          .map(([share, count]) => `${share} ${amount(count)}`)
          .join(', ')}; the first ${amount(commonPrefix ?? 0)} are those of an earlier request`,
      ]),
  ...stageLines(stages),
  ...(programs.length === 0 ? [] : ['', '--- programs (evolve show <program> --response shows an answer)']),
  ...programs.map(
    ({ id, model, finishReason, outcome, reason }) =>
      `${id}  ${model === null ? 'not asked for' : `${model}, finish reason ${finishReason ?? 'none'}`}${outcome === null ? '' : `  ${outcome}`}${reason === null ? '' : `  (${reason})`}`,
  ),
];

const LEVELS = { L1: 'summary', L2: 'plan', L3: 'code' } as const;

/** Messages and answers of a group's calls, each under a line that names it. */
export const stageLines = (stages: PromptReport['stages']): readonly string[] =>
  stages.flatMap(({ stage: name, program, messages, answer }) => {
    const stage = program === undefined ? name : `${name} of ${program}`;
    return [
      ...messages.flatMap(({ role, content }) => ['', `--- ${stage}: ${role}`, content]),
      ...(answer === null
        ? name === 'program'
          ? []
          : ['', `--- ${stage}: no answer`]
        : [
            ...(answer.reasoning === null ? [] : ['', `--- ${stage}: reasoning`, answer.reasoning]),
            '',
            `--- ${stage}: answer of ${answer.model}, finish reason ${answer.finishReason ?? 'none'}`,
            answer.text,
          ]),
    ];
  });
