// evolve show: one program with all that led to it: its parents, every message of its prompt and of the stages before
// it, the model's answer, checks, evaluation and code.
import { type ProgramTexts, readProgram } from '../../../activities/results/program-texts.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { type Origin, readOrigin } from '../../../client/read/program-origin.ts';
import { isSuperseded } from '../../../client/read/views.ts';
import { inputElsewhere } from '../../../evolution/budget/money.ts';
import { INVENTED } from '../../../evolution/config/noop.ts';
import type { Message } from '../../../evolution/types.ts';
import { act, describe } from '../../flags/command.ts';
import { withStore } from '../../flags/open.ts';
import { dollars, json, line, score } from '../../terminal/output.ts';
import { tokensText, unansweredText } from '../../terminal/progress.ts';
import { hiddenText, judgementText } from '../../terminal/solution.ts';
import { stageLines } from './prompt.ts';

type Options = { readonly json?: boolean; readonly prompt?: boolean; readonly response?: boolean };

export const showCommand = () =>
  describe('show')
    .argument('<program>', 'id of the program, as `evolve programs` prints it')
    .option('--prompt', 'also print every message of its prompt and of the calls before it')
    .option('--response', "also print the model's whole answer")
    .action(
      act(async (context, options: Options, id: string) =>
        withStore(context, async (store) => {
          const found = await readProgram(store, id);
          if (found === null)
            throw new UsageError(
              `there is no program "${id}": \`npx evolve programs <run>\` lists them (a program appears when its step is committed)`,
            );
          const [origin, superseded] = await Promise.all([
            readOrigin(store, found),
            isSuperseded(store, found.program),
          ]);
          if (context.json) return json(showReport(found, origin, superseded));
          for (const text of showLines(found, origin, superseded, options)) line(text);
        }),
      ),
    );

/**
 * `messages` holds every turn of the request for the program, or none where there was no request; `stages` holds the
 * calls before it.
 */
export const showReport = (
  { program, evaluation, hidden, code, idea, solution }: ProgramTexts,
  { delta, usage, costUsd, unanswered, parentScores, shown, stages, texts }: Origin,
  superseded: boolean,
) => {
  const messages: readonly Message[] = stages.find(({ stage }) => stage === 'program')?.messages ?? [];
  return {
    ...program,
    idea,
    scoresInvented: evaluation?.isolation === 'fake',
    superseded,
    evaluationResult: evaluation,
    hiddenResult: hidden?.result ?? null,
    hiddenBeside: hidden === null ? null : { direction: hidden.direction, initial: hidden.initial },
    delta,
    parentScores,
    usage,
    costUsd,
    unanswered,
    shownBeside: shown,
    messages,
    stages: stages.filter(({ stage }) => stage !== 'program'),
    code,
    solution,
    system: messages.find(({ role }) => role === 'system')?.content ?? null,
    user: messages.findLast(({ role }) => role === 'user')?.content ?? null,
    ...texts,
  };
};

export const showLines = (
  { program, evaluation, hidden, code, idea }: ProgramTexts,
  origin: Origin,
  superseded: boolean,
  options: Options,
): readonly string[] => {
  const { delta, model, policy, finishReason, unanswered, shown, stages, texts } = origin;
  return [
    `program   ${program._id}`,
    ...(superseded
      ? [
          `state     superseded: a rewind or a reset took back step ${program.step} of generation ${program.generation}; it is in no population`,
        ]
      : []),
    `outcome   ${program.outcome}, score ${score(program.score)}, strict ${score(program.strictScore)}, reward ${program.reward}`,
    ...(evaluation?.isolation === 'fake' ? [`          ${INVENTED}`] : []),
    ...(idea === null ? [] : [`idea      ${judgementText(idea)}`]),
    ...(hidden === null ? [] : [`hidden    ${hiddenText(hidden)}`]),
    `from      ${program.parents.join(', ') || (program.step === 0 ? 'the task (initial program)' : program.founder ? 'the initial program (a seed program of its island)' : 'a person (injected)')}, island ${program.island}, step ${program.step}, slot ${program.slot}`,
    ...parentLines(origin),
    ...(program.sameAs ? [`same as   ${program.sameAs} (an earlier slot of this step)`] : []),
    ...(model === null
      ? []
      : [`answer    ${model}, finish reason ${finishReason ?? 'none'}, ${delta?.blocks ?? 0} edit blocks`]),
    ...paidLines(origin),
    ...(policy === null ? [] : [`policy    ${policy}`]),
    ...(unanswered === null ? [] : [`          ${unansweredText(unanswered)}`]),
    ...shown.map(({ id, role }) => `beside    ${id} (${role})`),
    ...(program.change
      ? [
          `change    ${program.change.label} (delta ${program.change.status}${repairOf(program.change)}): ${program.change.summary.from === '' ? '' : `FROM ${program.change.summary.from} `}TO ${program.change.summary.to}`,
        ]
      : []),
    ...(program.lines
      ? [
          `lines     ${program.lines.added} added${delta?.lines === undefined ? '' : `, ${delta.lines.deleted.length} deleted`}${program.lines.reintroduced === 0 ? '' : `; ${program.lines.reintroduced} of the added ones had been deleted by an ancestor`}`,
        ]
      : []),
    ...(delta?.unmatched ?? []).map(({ block, reason }) => `          block ${block} not applied: ${reason}`),
    ...(delta?.ambiguous ?? []).map(({ block, reason }) => `          block ${block} ${reason}`),
    ...(evaluation?.quarantine === undefined
      ? []
      : [
          `suspect   ${evaluation.quarantine.held ? 'held back' : 'released'}: ${evaluation.quarantine.reason}; with other seeds ${evaluation.quarantine.again.map((one) => score(one.score)).join(', ')}`,
        ]),
    ...program.reasons.map((reason) => `reason    ${reason}`),
    ...(evaluation === null
      ? []
      : [
          `ran       ${evaluation.execution} in ${evaluation.isolation}, exit ${evaluation.exitCode ?? 'none'}, wall ${evaluation.wallMs} ms, CPU ${evaluation.cpuMs ?? '?'} ms`,
          `metrics   ${
            Object.entries(evaluation.metrics)
              .map(([name, value]) => `${name} ${value}`)
              .join(', ') || 'none'
          }`,
          ...(evaluation.stderrTail.trim() === ''
            ? []
            : [
                'stderr',
                ...evaluation.stderrTail
                  .trimEnd()
                  .split('\n')
                  .slice(-12)
                  .map((text) => `          ${text}`),
              ]),
        ]),
    ...(options.prompt ? (stages.length === 0 ? ['', '--- prompt', 'none'] : stageLines(stages)) : []),
    ...(options.response ? ['', '--- answer', texts.response ?? 'none'] : []),
    ...(idea === null ? [] : ['', '--- idea', idea.text.trimEnd()]),
    '',
    '--- code',
    (code ?? 'none').trimEnd(),
  ];
};

const parentLines = ({ parentScores }: Origin): readonly string[] =>
  parentScores.map(
    ({ id, score: value, strictScore, gain }) =>
      `          ${id} has score ${score(value)}, strict ${score(strictScore)}${gain === null ? '' : `: ${gainText(gain)}`}`,
  );

const gainText = (gain: number): string =>
  gain === 0
    ? 'this one is as good'
    : `this one is ${gain > 0 ? 'better' : 'worse'} by ${score(Number(Math.abs(gain).toPrecision(6)))}`;

/** What its answer was paid with, and the calls before it, which are paid once for all programs of the group. */
const paidLines = ({ usage, costUsd, stages }: Origin): readonly string[] => [
  ...(usage === null
    ? []
    : [
        `tokens    ${tokensText(usage)} · cost ${dollars(costUsd)}${inputElsewhere(usage) ? '; the input of a request counts once, with the first of its answers, which another program has' : ''}`,
      ]),
  ...stages.flatMap(({ stage, answer }) =>
    answer === null || stage === 'program'
      ? []
      : [`          ${stage}: ${tokensText(answer.usage)} · cost ${dollars(answer.costUsd)}`],
  ),
];

const repairOf = ({ repair }: NonNullable<ProgramTexts['program']['change']>): string =>
  repair === undefined
    ? ''
    : repair.outcome === 'repaired'
      ? ', in part or whole from a further call'
      : `; a further call brought none: ${repair.reason}`;
