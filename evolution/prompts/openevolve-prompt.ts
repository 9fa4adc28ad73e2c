// The prompt of style `openevolve` (docs/methods/controls.md). Numbers have ten significant digits where OpenEvolve
// prints four decimals, because near a record programs differ in the seventh.
import type { ChangeLabel } from '../deltas/delta.ts';
import { lastChange } from './parts/aim.ts';
import { type Contents, sharedValues, statedValues } from './parts/contents.ts';
import {
  type CardProgram,
  ERROR_TAIL,
  type Mask,
  maskOf,
  metricsLine,
  outputSections,
  type ShownProgram,
  showNumber,
  type Telling,
  wentWrong,
} from './parts/program-card.ts';
import { fenced, fencedProgram, fitFrame } from './parts/sections.ts';
import { ShownCode } from './parts/shown-code.ts';
import { render, type Template, type ValuesOf } from './parts/template.ts';
import { type Attempt, triedSections } from './parts/tried.ts';
import { goal } from './theta-prompt.ts';

export type EvolvedProgram = ShownProgram & {
  /** The effect on the score of its own parent; null: a root. */
  readonly label: ChangeLabel | null;
};

export type EvolvedParent = EvolvedProgram &
  Partial<Pick<CardProgram, 'error' | 'edits'>> & {
    /** The raw objective and code length of its own parent; null where there is none. */
    readonly before: { readonly score: number | null; readonly length: number } | null;
    /** The output of its evaluation and its process, in full. */
    readonly output: string;
  };

export type Coordinate = { readonly name: string; readonly value: number | null };

export type OpenEvolvePrompt = Contents & {
  readonly parent: EvolvedParent;
  /** The parent's place on the axes of the archive. */
  readonly coordinates: readonly Coordinate[];
  /** Best first: the first three are shown as attempts and as code, those after them as diverse programs. */
  readonly best: readonly EvolvedProgram[];
  readonly diverse: readonly EvolvedProgram[];
  readonly inspirations: readonly EvolvedProgram[];
};

const TOP = 3;
/**
 * A program that grew beyond so many characters is to be looked through (OpenEvolve:
 * suggest_simplification_after_chars).
 */
const LONG = 500;

/** Beyond `maxTokens` programs are dropped whole: inspirations from the last on, diverse programs, then the best. */
export const buildOpenEvolvePrompt = (
  prompt: OpenEvolvePrompt,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const { best, diverse, inspirations, tried, maxTokens = null } = prompt;
  const all: readonly Beside[] = [
    ...best.slice(0, TOP).map(as('top')),
    ...best.slice(TOP).map(as('diverse')),
    ...diverse.map(as('diverse')),
    ...inspirations.map(as('inspiration')),
  ];
  return fitFrame(tried?.latest ?? [], all, maxTokens, (attempts, shown) =>
    render(template, openEvolveSections(prompt, shown, attempts)),
  );
};

type Kind = 'top' | 'diverse' | 'inspiration';
type Beside = { readonly kind: Kind; readonly program: EvolvedProgram };
const as =
  (kind: Kind) =>
  (program: EvolvedProgram): Beside => ({ kind, program });

/** The values of the placeholders. */
export const openEvolveSections = (
  prompt: OpenEvolvePrompt,
  beside: readonly Beside[],
  attempted: readonly Attempt[],
): ValuesOf<'openevolve'> => {
  const {
    task,
    stated,
    parent,
    idea = null,
    settings = {},
    tried = null,
    scores = 'shown',
    feedback = 'full',
  } = prompt;
  const telling = tellingOf(prompt);
  const known = [
    parent,
    ...beside.map(({ program }) => program),
    ...(parent.before === null ? [] : [{ score: parent.before.score, metrics: {} }]),
  ];
  const hide = maskOf(known, scores);
  const of = (kind: Kind): readonly EvolvedProgram[] =>
    beside.flatMap((one) => (one.kind === kind ? [one.program] : []));
  const [code, metrics] = [
    fencedProgram(parent.code),
    feedback === 'label-only' ? (parent.label ?? '') : metricsLine(task, parent, telling),
  ];
  const codes = new ShownCode(parent.code);
  const random = prompt.draw === 'random';
  const best = programs(random ? '# Programs of this search' : '# Best programs', 'Program', {
    prompt,
    codes,
    shown: random ? [...of('top'), ...of('diverse')] : of('top'),
  });
  const diverse = programs('# Diverse programs', 'Diverse program', {
    prompt,
    codes,
    shown: random ? [] : of('diverse'),
  });
  const inspirations = programs('# Inspirations', 'Inspiration', { prompt, codes, shown: of('inspiration') });
  return {
    ...sharedValues({ ...prompt, idea: idea === null ? null : hide.prose(idea) }, parent.code, codes),
    ...statedValues(stated),
    information: information(prompt),
    artifacts: artifactsOf(prompt, hide),
    attempts: tried === null ? attempts(prompt, of('top')) : '',
    tried: triedSections(tried, attempted, { task, parent, codes, ...telling }),
    best,
    diverse,
    inspirations,
    programs: [best, diverse, inspirations].filter((text) => text !== '').join('\n\n'),
    parent: metrics === '' ? code : `${metrics}\n\n${code}`,
    code,
    metrics,
    goal: goal(task, settings, tried, parent.outcome),
  };
};

const tellingOf = ({ scores, feedback, tried }: OpenEvolvePrompt): Telling => ({
  scores,
  feedback,
  frame: tried ? 'common' : 'paper',
});

/** In the common frame with all metrics; in the paper's, which has them nowhere else, with the score alone. */
const fitness = (prompt: OpenEvolvePrompt): string => {
  const { task, parent, tried, scores = 'shown' } = prompt;
  const better = `${task.direction === 'maximise' ? 'higher' : 'lower'} is better`;
  if (tried) return `- Fitness: ${metricsLine(task, parent, tellingOf(prompt)).replace('Metrics: ', '')}`;
  const value =
    parent.score === null
      ? `none (${parent.outcome})`
      : scores === 'masked'
        ? '[hidden]'
        : `${task.scoreName} = ${showNumber(parent.score)}`;
  return `- Fitness: ${value}; ${better}`;
};

const information = (prompt: OpenEvolvePrompt): string => {
  const { coordinates, tried, scores = 'shown', feedback = 'full' } = prompt;
  // In the common frame the score is no feature beside itself, and the length stands beside its limit.
  const shown = coordinates.filter(
    ({ name }) =>
      !(tried && (name === 'score' || name === 'length')) &&
      (scores === 'shown' || !(name === 'score' || name.startsWith('metric:'))),
  );
  const lines = [
    ...(feedback === 'full' ? [fitness(prompt)] : []),
    ...(shown.length === 0
      ? []
      : [
          `- Feature coordinates: ${shown.map(({ name, value }) => `${name} = ${value === null ? 'none' : showNumber(value)}`).join(', ')}`,
        ]),
    ...(feedback === 'none' ? [] : focus(prompt, scores === 'shown' && feedback === 'full')),
  ];
  return lines.length === 0 && tried ? '' : ['# The program to change', '', ...lines].join('\n');
};

const FOCUS: { readonly [label in ChangeLabel]: string } = {
  improved: 'the last change made it better: go on in that direction',
  degraded: 'the last change made it worse: take it back, or take another direction',
  unchanged: 'the last change left the fitness as it was: try a change of another kind',
  failed: 'it fails its evaluation: make it valid first',
};

/** The program against its own parent. */
const focus = ({ task, parent, tried }: OpenEvolvePrompt, numbers: boolean): readonly string[] => {
  const { label, score, before, code } = parent;
  const isScored = numbers && score !== null && before !== null && before.score !== null;
  const [from, to] = isScored ? [showNumber(before.score!), showNumber(score)] : ['', ''];
  const grown = before === null ? 0 : code.length - before.length;
  const isLong = label !== null && grown > 0 && code.length > LONG;
  if (tried) {
    const change = lastChange(label, tried.mode, isScored ? ` (${task.scoreName} from ${from} to ${to})` : '');
    // What made a program better is not too long, and a new method begins anew.
    const isNeedless = isLong && tried.mode === 'exploit' && (label === 'degraded' || label === 'unchanged');
    return change === ''
      ? []
      : [`${change}${isNeedless ? `; it also made it longer by ${grown} characters, to ${code.length}` : ''}`];
  }
  if (label === null) return ['- Focus: it has no earlier version: look for a stronger method'];
  return [
    `- Focus: ${FOCUS[label]}${isScored ? ` (from ${from} to ${to})` : ''}`,
    ...(isLong
      ? [
          `- Focus: the last change made it longer by ${grown} characters, to ${code.length}: leave out what it does not need`,
        ]
      : []),
  ];
};

/** In the common frame as on the card of a program. */
const artifactsOf = (prompt: OpenEvolvePrompt, hide: Mask): string => {
  const { parent, feedback = 'full', tried } = prompt;
  const text = parent.output.trim();
  if (feedback !== 'full') return '';
  if (tried)
    return [
      ...wentWrong(hide.output(parent.error ?? ''), parent.edits ?? []),
      ...outputSections(parent, tellingOf(prompt)),
    ].join('\n\n');
  const tail = text.slice(-ERROR_TAIL).toWellFormed();
  const what = tail.length < text.length ? `The last ${tail.length} of ${text.length} characters of what` : 'What';
  const parts = [
    ...(text === '' ? [] : [`${what} its evaluation and its process printed\n\n${fenced(hide.output(tail), 'text')}`]),
    ...outputSections(parent, tellingOf(prompt)),
  ];
  return parts.length === 0 ? '' : ['## Artifacts', ...parts].join('\n\n');
};

/** The best attempt comes last. */
const attempts = (
  { task, scores, feedback = 'full', draw }: OpenEvolvePrompt,
  top: readonly EvolvedProgram[],
): string =>
  top.length === 0 || feedback === 'none'
    ? ''
    : [
        '# Previous attempts',
        draw === 'random' ? 'Drawn from all programs of this search.' : 'The best so far, the worst of them first.',
        ...top
          .toReversed()
          .map((program, index) =>
            [
              `## Attempt ${index + 1}`,
              '',
              ...(feedback === 'full' ? [`- ${metricsLine(task, program, { scores })}`] : []),
              `- Against its own parent: ${program.label ?? 'it has none'}`,
            ].join('\n'),
          ),
      ].join('\n\n');

const programs = (
  heading: string,
  name: string,
  of: { readonly prompt: OpenEvolvePrompt; readonly codes: ShownCode; readonly shown: readonly EvolvedProgram[] },
): string =>
  of.shown.length === 0
    ? ''
    : [
        heading,
        ...of.shown.map((program, index) => {
          const { prompt, codes } = of;
          const { task, tried, feedback = 'full' } = prompt;
          const line =
            feedback === 'label-only' ? (program.label ?? '') : metricsLine(task, program, tellingOf(prompt));
          const metrics =
            tried && feedback === 'full' && program.label !== null
              ? `${line}, against its own parent: ${program.label}`
              : line;
          return [
            `## ${name} ${index + 1}`,
            ...(metrics === '' ? [] : [metrics]),
            tried ? codes.show(program.code, `${name} ${index + 1}`) : fencedProgram(program.code),
            ...(name === 'Program' && index === 0 ? outputSections(program, tellingOf(prompt)) : []),
          ].join('\n\n');
        }),
      ].join('\n\n');
