// evolve show: one program with all that led to it: its parents, every message of its prompt and of the stages before
// it, the model's answer, checks, evaluation and code.
import type { ProgramTexts } from '../../../activities/results/program-texts.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { Origin } from '../../../client/read/program-origin.ts';
import { showReport, shownProgram, type State, type Texts } from '../../../client/rows/shown-program.ts';
import { INVENTED } from '../../../evolution/config/noop.ts';
import type { Artifact } from '../../../evolution/scoring/artifacts.ts';
import { spentText } from '../../../evolution/scoring/spent.ts';
import { numberTexts } from '../../../evolution/reports/program-numbers.ts';
import type { Usage } from '../../../evolution/types.ts';
import { wholeMark } from '../../../evolution/steering/base/people.ts';
import type { Build } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { amount, dollars, duration } from '../../../evolution/reports/number-text.ts';
import { answer, content, json, score } from '../../terminal/output.ts';
import { tokensText, unansweredText } from '../../terminal/progress.ts';
import { folded } from '../../terminal/screen.ts';
import { artifactLines, bytesOf, hiddenText, judgementText, stagesText } from '../../terminal/solution.ts';
import { stageLines } from './prompt.ts';

type Options = { readonly prompt?: boolean; readonly response?: boolean; readonly artifact?: string };

export const build: Build = (command) =>
  command
    .argument('<program>', 'id of the program, as `evolve programs` prints it')
    .option('--prompt', 'also print every message of its prompt and of the calls before it')
    .option('--response', "also print the model's whole answer")
    .option('--artifact <name>', 'write what its evaluator showed under this name, and nothing else')
    .action(
      onStore(async (context, options: Options, store, id: string) => {
        const { texts, origin, state, mark } = await shownProgram(store, id);
        if (options.artifact !== undefined) {
          const artifact = artifactOf(texts.artifacts, options.artifact);
          return context.json ? json(artifact) : content(bytesOf(artifact));
        }
        const linesOf = (width: number): readonly string[] => [
          ...(mark === null ? [] : folded(`${'mark'.padEnd(WIDTH)}${wholeMark(mark)}`, width)),
          ...showLines(texts, origin, state, options, width),
        ];
        answer(context, { mark, ...showReport(texts, origin, state) }, linesOf, { whole: true });
      }),
    );

const artifactOf = (artifacts: readonly Artifact[], wanted: string): Artifact => {
  const found = artifacts.find(({ name }) => name === wanted);
  const names = artifacts.map(({ name }) => name).join(', ');
  if (found === undefined)
    throw new UsageError(
      `--artifact: ${names === '' ? 'its evaluator showed nothing' : `expected one of ${names}`}, got ${JSON.stringify(wanted)}`,
    );
  return found;
};

type Program = ProgramTexts['program'];
/** A label and its text; the text is null where there is nothing to say. */
type Row = readonly [label: string, text: string | null];

const WIDTH = 10;

export const showLines = (
  texts: Texts,
  origin: Origin,
  state: State,
  options: Options,
  width = Infinity,
): readonly string[] => {
  const { evaluation, code, idea, artifacts = [] } = texts;
  const rows = [...programRows(texts, origin, state), ...originRows(texts, origin), ...evaluationRows(texts, origin)];
  return [
    ...rows.flatMap(([label, text]) => (text === null ? [] : folded(label.padEnd(WIDTH) + text, width))),
    ...artifacts.flatMap((one) => artifactLines(one, `--artifact ${JSON.stringify(one.name)}`)),
    ...stderrLines(evaluation?.stderrTail ?? ''),
    ...(options.prompt ? (origin.stages.length === 0 ? ['', '--- prompt', 'none'] : stageLines(origin.stages)) : []),
    ...(options.response ? ['', '--- answer', origin.texts.response ?? 'none'] : []),
    ...(idea === null ? [] : ['', '--- idea', idea.text.trimEnd()]),
    '',
    '--- code',
    (code ?? 'none').trimEnd(),
  ];
};

const programRows = (
  { program, evaluation, hidden, idea }: ProgramTexts,
  { cause }: Origin,
  state: State,
): readonly Row[] => [
  ['program', program._id],
  [
    'state',
    state === 'superseded'
      ? `superseded: a rewind or a reset took back step ${program.step} of generation ${program.generation}; it is in no population`
      : state === 'not committed'
        ? `not committed: step ${program.step} is under way, and no parent is drawn from it yet`
        : null,
  ],
  ['outcome', `${program.outcome}, ${numberTexts('base', program)}, ${numberTexts('features', program)}`],
  ['', evaluation?.isolation === 'fake' ? INVENTED : null],
  ['idea', idea && judgementText(idea)],
  ['hidden', hidden && hiddenText(hidden)],
  [
    'from',
    `${cause.kind === 'child' ? cause.from : cause.words}, island ${program.island}, step ${program.step}, slot ${program.slot}`,
  ],
];

const originRows = ({ program }: ProgramTexts, origin: Origin): readonly Row[] => {
  const { delta, model, policy, finishReason, usage, costUsd, unanswered, said } = origin;
  const { change, sameAs } = program;
  return [
    ...origin.parentScores.map((parent): Row => ['', parentText(parent)]),
    ['same as', sameAs ? `${sameAs} (an earlier slot of this step)` : null],
    ['said', said],
    ['answer', model && `${model}, finish reason ${finishReason ?? 'none'}, ${delta?.blocks ?? 0} edit blocks`],
    [
      'paid',
      usage &&
        `${numberTexts('paid', { usage, costUsd: costUsd ?? 0 }).replace(/cost \S+$/, (text) => (costUsd === null ? COST_UNKNOWN : text))}${partsText(usage)}; the answers to a prompt share its tokens`,
    ],
    // Calls before the program are paid once for all programs of the group.
    ...origin.stages.map(({ stage, messages, answer: paid }): Row => [
      '',
      paid === null || stage === 'program'
        ? null
        : `${stage}: ${paidText(paid.usage, costUsd === null ? null : paid.costUsd)}${stage === 'repair' ? `; "${messages.at(-1)!.content.split('\n')[0]}"` : ''}`,
    ]),
    ['policy', policy],
    ['', unanswered && unansweredText(unanswered)],
    ...origin.shown.map(({ id, role }): Row => ['beside', `${id} (${role})`]),
    ['change', change ? changeText(change) : null],
    ['lines', linesText(program, delta)],
    ...(delta?.unmatched ?? []).map(({ block, reason }): Row => ['', `block ${block} not applied: ${reason}`]),
    ...(delta?.ambiguous ?? []).map(({ block, reason }): Row => ['', `block ${block} ${reason}`]),
  ];
};

const evaluationRows = ({ program, evaluation }: ProgramTexts, { limits, direction }: Origin): readonly Row[] => {
  const { quarantine } = evaluation ?? {};
  const metrics = Object.entries(evaluation?.metrics ?? {}).map(([name, value]) => `${name} ${value}`);
  return [
    [
      'suspect',
      quarantine === undefined
        ? null
        : `${quarantine.held ? 'held back' : 'released'}: ${quarantine.reason}; with other seeds ${quarantine.again.map((one) => score(one.score)).join(', ')}`,
    ],
    ...program.reasons.map((reason): Row => ['reason', reason]),
    [
      'ran',
      evaluation &&
        `${evaluation.execution} in ${evaluation.isolation}, exit ${evaluation.exitCode ?? 'none'}, wall ${duration(evaluation.wallMs / 1000)}, ${numberTexts('evaluated', evaluation)}`,
    ],
    ['', evaluation && limits && `limits ${limitsText(limits)}`],
    ['', evaluation?.modelCalls === undefined ? null : `its evaluator called a model ${evaluation.modelCalls} times`],
    ['time', evaluation && (spentText(evaluation, direction) || null)],
    ['stages', evaluation && stagesText(evaluation)],
    ['saved', evaluation && savedText(evaluation)],
    ['metrics', evaluation && (metrics.join(', ') || 'none')],
  ];
};

/** The score over time, by what was saved. */
const savedText = ({ saves }: NonNullable<ProgramTexts['evaluation']>): string | null =>
  saves?.scores?.map((one) => `${score(one.score)} after ${one.seconds?.toFixed(1) ?? '?'} s`).join(', ') || null;

const limitsText = ({ cpuSeconds, wallSeconds, memoryMiB }: NonNullable<Origin['limits']>): string =>
  `${cpuSeconds} s of CPU time, ${wallSeconds} s of wall clock, ${memoryMiB} MiB of memory`;

const STDERR_LINES = 12;

const stderrLines = (tail: string): readonly string[] =>
  tail.trim() === ''
    ? []
    : [
        'stderr',
        ...tail
          .trimEnd()
          .split('\n')
          .slice(-STDERR_LINES)
          .map((text) => ' '.repeat(WIDTH) + text),
      ];

const parentText = ({ id, score: value, strictScore, gain }: Origin['parentScores'][number]): string =>
  `${id} has score ${score(value)}, strict ${score(strictScore)}${gain === null ? '' : `: ${gainText(gain)}`}`;

const gainText = (gain: number): string =>
  gain === 0
    ? 'this one is as good'
    : `this one is ${gain > 0 ? 'better' : 'worse'} by ${score(Number(Math.abs(gain).toPrecision(6)))}`;

/** The parts of the tokens that the endpoint named. */
const partsText = ({ cached, reasoning }: Usage): string =>
  `${cached === undefined ? '' : `; ${amount(cached)} of the input cached`}${reasoning === undefined ? '' : `; ${amount(reasoning)} of the output reasoning`}`;

const COST_UNKNOWN = 'cost unknown (model.price is not set)';
const paidText = (usage: Usage, costUsd: number | null): string =>
  `${tokensText(usage)} · ${costUsd === null ? COST_UNKNOWN : `cost ${dollars(costUsd)}`}`;

const changeText = (change: NonNullable<Program['change']>): string => {
  const { from, to } = change.summary;
  return `${change.label} (delta ${change.status}${repairOf(change)}): ${from === '' ? '' : `FROM ${from} `}TO ${to}`;
};

const linesText = ({ lines }: Program, delta: Origin['delta']): string | null => {
  if (!lines) return null;
  const deleted = delta?.lines === undefined ? '' : `, ${delta.lines.deleted.length} deleted`;
  const again =
    lines.reintroduced === 0 ? '' : `; ${lines.reintroduced} of the added ones had been deleted by an ancestor`;
  return `${lines.added} added${deleted}${again}`;
};

const repairOf = ({ repair }: NonNullable<Program['change']>): string =>
  repair === undefined
    ? ''
    : repair.outcome === 'repaired'
      ? ', in part or whole from a further call'
      : `; a further call brought none: ${repair.reason}`;
