// The prompt of method `theta` (ThetaEvolve B.1; docs/methods/thetaevolve.md, The prompt).
import { languageOf, withoutLastNewlines } from '../edits/language.ts';
import { drawDistinct, type Rng } from '../rng.ts';
import type { Task } from '../task/task.ts';
import type { Outcome } from '../types.ts';
import { type Aim, aimWords } from './parts/aim.ts';
import { type Contents, sharedValues, statedValues } from './parts/contents.ts';
import {
  type CardProgram,
  maskOf,
  metricsLine,
  outputSections,
  programCard,
  type ShownProgram,
  type Telling,
} from './parts/program-card.ts';
import { type EditSettings, fenceAround, fitFrame } from './parts/sections.ts';
import { ShownCode } from './parts/shown-code.ts';
import { render, type Template, type ValuesOf } from './parts/template.ts';
import { type Attempt, triedSections } from './parts/tried.ts';

export type ContextRole = 'elite' | 'diverse' | 'inspiration' | 'best' | 'ancestor';

export type ThetaPrompt = Contents & {
  /** With what went wrong, where it did; the common frame shows it. */
  readonly parent: ShownProgram & Partial<CardProgram>;
  /** The prior programs shown beside the parent; without any, it is iterative refinement. */
  readonly prior: readonly ShownProgram[];
  /** Further programs beside the parent, and why they are shown; ancestors are oldest first. */
  readonly context?: readonly { readonly role: ContextRole; readonly program: ShownProgram }[] | undefined;
};

type Part = Task['prompts'][number];

/** One weighted entry of meta-information, drawn once for a whole group. */
export const drawPart = (parts: readonly Part[], random: Rng): Part =>
  parts[random.weighted(parts.map((part) => part.weight))]!;

/** So many different parts, drawn by weight one after the other. */
export const drawParts = (parts: readonly Part[], count: number, random: Rng): readonly Part[] =>
  drawDistinct(
    parts,
    count,
    random,
    parts.map(({ weight }) => weight),
  );

export const buildThetaPrompt = (
  prompt: ThetaPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => {
  const { prior, context = [], tried, maxTokens = null } = prompt;
  const ancestors = context.filter(({ role }) => role === 'ancestor').toReversed();
  const others = [
    ...prior.map((program) => ({ role: null, program })),
    ...context.filter(({ role }) => role !== 'ancestor'),
  ];
  // In the common frame the best program is the last to be dropped.
  const beside = [
    ...others.filter(({ role }) => tried && role === 'best'),
    ...ancestors,
    ...others.filter(({ role }) => !(tried && role === 'best')),
  ];
  return fitFrame(tried?.latest ?? [], beside, maxTokens, (attempts, shown) =>
    render(template, thetaSections(prompt, shown, attempts)),
  );
};

type Beside = { readonly role: ContextRole | null; readonly program: ShownProgram };

/** The values of the placeholders. `beside` holds ancestors, youngest first, then others. */
export const thetaSections = (
  prompt: ThetaPrompt,
  beside: readonly Beside[],
  attempts: readonly Attempt[],
): ValuesOf<'theta'> => {
  const { task, stated, parent, tried = null, idea = null, settings = {}, scores, feedback } = prompt;
  const telling: Telling = { scores, feedback, frame: tried === null ? 'paper' : 'common' };
  const codes = new ShownCode(parent.code);
  const show: Show = (program, name, whole = false) =>
    [
      metricsLine(task, program, telling),
      tried === null ? fenced(program.code) : codes.show(program.code, name),
      ...(whole ? outputSections(program, telling) : []),
    ]
      .filter((text) => text !== '')
      .join('\n\n');
  const hide = maskOf([parent, ...beside.map(({ program }) => program)], scores ?? 'shown');
  const of = (isAncestor: boolean) => beside.filter(({ role }) => (role === 'ancestor') === isAncestor);
  const programs = others(of(false), show);
  const ancestors = earlierVersions(of(true).toReversed(), show);
  return {
    ...sharedValues({ ...prompt, idea: idea === null ? null : hide.prose(idea) }, parent.code, codes),
    ...statedValues(stated),
    programs,
    ancestors,
    parent: tried === null ? show(parent, '') : programCard(task, { exitCode: null, error: '', ...parent }, telling),
    code: fenced(parent.code),
    metrics: metricsLine(task, parent, telling),
    tried: triedSections(tried, attempts, { task, parent, codes, ...telling }),
    goal: goal(task, settings, tried, parent.outcome),
  };
};

const WHY: { readonly [role in ContextRole]: string } = {
  elite: 'one of the best',
  diverse: 'of another kind',
  inspiration: 'an inspiration',
  best: 'the best so far',
  ancestor: 'an ancestor',
};

/** `whole`: with what it printed. */
type Show = (program: ShownProgram, name: string, whole?: boolean) => string;

const others = (programs: readonly Beside[], show: Show): string =>
  programs.length === 0
    ? ''
    : [
        '# Prior programs',
        ...programs.map(
          ({ role, program }, index) =>
            `## Program ${index + 1}${role === null ? '' : `, ${WHY[role]}`}\n\n${show(program, `Program ${index + 1}`, role === 'best')}`,
        ),
      ].join('\n\n');

const earlierVersions = (ancestors: readonly Beside[], show: Show): string =>
  ancestors.length === 0
    ? ''
    : [
        '# Earlier versions',
        'What follows is how the program below came about, oldest first.',
        ...ancestors.map(({ program }, index) => `## Version ${index + 1}\n\n${show(program, `Version ${index + 1}`)}`),
      ].join('\n\n');

/** The fence is longer than any run of backticks in the code. */
const fenced = (code: string): string => {
  const fence = fenceAround(code);
  return `${fence}${languageOf(code).fence}\n${withoutLastNewlines(code)}\n${fence}`;
};

/** The request, also for answers that are whole programs. */
export const goal = (
  { scoreName, direction }: Pick<Task, 'scoreName' | 'direction'>,
  { accept = 'edits' }: Pick<EditSettings, 'accept'>,
  tried: Aim | null = null,
  parent: Outcome = 'valid',
): string =>
  tried === null
    ? paperGoal({ scoreName, direction }, { accept })
    : [
        '# Task',
        '',
        aimWords(tried, { scoreName, direction }, parent),
        `Begin with one sentence that says what you change and why; later requests quote it. Then write ${FORM[accept]}.`,
      ].join('\n');

const FORM = {
  edits: 'SEARCH/REPLACE blocks',
  either: 'SEARCH/REPLACE blocks, or the whole new program',
  program: 'the whole new program',
} as const;

const paperGoal = (
  { scoreName, direction }: Pick<Task, 'scoreName' | 'direction'>,
  { accept = 'edits' }: Pick<EditSettings, 'accept'>,
): string =>
  [
    '# Task',
    '',
    `Propose one new idea that ${direction === 'maximise' ? 'raises' : 'lowers'} ${scoreName} beyond the current program's value, and carry it out ${
      {
        edits: 'with SEARCH/REPLACE blocks',
        either: 'with SEARCH/REPLACE blocks or as a whole program',
        program: 'in a whole new program',
      }[accept]
    }.`,
    'Think first about what limits the current program.',
    ...(accept === 'edits' ? ['Do not rewrite the whole program: edit the parts that your idea needs.'] : []),
  ].join('\n');
