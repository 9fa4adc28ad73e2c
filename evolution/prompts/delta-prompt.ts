// The prompt of method `delta`: the parent as code, all others as deltas (DeltaEvolve Figures 5 and 6). The offline
// model finds the parent by the line above its fence.
import type { ChangeLabel, CompleteDelta, Level } from '../deltas/delta.ts';
import { type Feedback, hideScores, maskedFeedback, showFeedback } from '../deltas/feedback.ts';
import { renderNode } from '../deltas/render.ts';
import { aimWords, lastChange } from './parts/aim.ts';
import { type Contents, sharedValues, statedValues } from './parts/contents.ts';
import { PLAN_INSTRUCTIONS, SUMMARY_INSTRUCTIONS } from './parts/delta-format.ts';
import { SHOWED, showNumber } from './parts/program-card.ts';
import { fencedProgram, quoted } from './parts/sections.ts';
import { render, type Template, type ValuesOf } from './parts/template.ts';
import { type Attempt, type Tried, triedSections, undoneWords } from './parts/tried.ts';

/** A node of the history section, in the order in which the nodes stand there. */
export type ShownDelta = {
  readonly role: 'top' | 'diverse';
  /** Blocks of its answer that were not applied, though the change tells of them. */
  readonly undone?: readonly number[] | undefined;
  /** The attempt number. */
  readonly time: number;
  readonly label: ChangeLabel;
  readonly delta: CompleteDelta;
  readonly level: Level;
  readonly feedback: Feedback;
  /** What it printed, for the best program. */
  readonly printed?: string | undefined;
};

export type ShownParent = {
  readonly code: string;
  /** The effect on the score of its own parent; null: a root. */
  readonly label: ChangeLabel | null;
  /** The raw objectives of the program and of its own parent; null where there is none. */
  readonly score: number | null;
  readonly scoreBefore: number | null;
  readonly feedback: Feedback;
  readonly printed?: string | undefined;
  readonly artifacts?: string | undefined;
};

export type DeltaPrompt = Contents & {
  readonly parent: ShownParent;
  readonly history: readonly ShownDelta[];
  /** The attempts that are told; all of `tried` when left out. */
  readonly attempts?: readonly Attempt[] | undefined;
  /** The features along which the search keeps programs apart. */
  readonly dimensions?: readonly string[] | undefined;
};

/** The words before the log, by the form of the answer. */
const ANSWER_FORM = {
  edits: 'all edits',
  either: 'all edits or the whole program',
  program: 'the whole program',
} as const;
const DIMENSIONS = ['complexity', 'diversity'];

export const buildDeltaPrompt = (
  prompt: DeltaPrompt,
  template: Template,
): { readonly system: string; readonly user: string } => render(template, deltaSections(prompt));

/** The values of the placeholders. */
export const deltaSections = (prompt: DeltaPrompt): ValuesOf<'delta'> => {
  const { task, stated, parent, history, tried = null, attempts = tried?.latest ?? [] } = prompt;
  const hide = hiding(prompt);
  const [code, metrics] = [fencedProgram(parent.code), hide.feedback(parent.feedback, parent.label).join('\n')];
  return {
    ...sharedValues(prompt, parent.code),
    ...statedValues(stated),
    delta_rules: [SUMMARY_INSTRUCTIONS, PLAN_INSTRUCTIONS].join('\n\n'),
    information: currentProgram(prompt, hide),
    programs:
      history.length === 0
        ? ''
        : [
            `# Inspirations: Delta of History Nodes\n\n${noteOf(prompt)}\n${tried === null ? '' : LABELS}${inspire(tried)}`,
            ...places(prompt, hide),
          ].join('\n\n'),
    parent: metrics === '' ? code : `${metrics}\n\n${code}`,
    code,
    metrics,
    tried: triedSections(tried, attempts, {
      task,
      parent: {
        code: parent.code,
        outcome: parent.label === 'failed' ? 'invalid' : 'valid',
        score: parent.score,
        metrics: {},
      },
      scores: prompt.scores,
      feedback: prompt.feedback,
      frame: 'common',
    }),
    goal: request(prompt, prompt.dimensions ?? DIMENSIONS),
    answer_form: ANSWER_FORM[prompt.settings?.accept ?? 'edits'],
  };
};

const noteOf = ({ draw }: DeltaPrompt): string =>
  [
    'These are changes that programs of this search made to their own parents, with what came of them:',
    draw === 'random'
      ? 'they are drawn from all of them.'
      : 'the best programs first, then programs far from the current one.',
  ].join('\n');

const LABELS =
  'In brackets stands the number of the program among all, and what the change did to the score of its parent.\n';

/** The paper's words are those of an exploring request. */
const inspire = (tried: Tried | null): string =>
  tried === null || tried.mode === 'explore'
    ? 'Let them inspire a new direction; do not copy them.'
    : 'Take from them what helps the current program.';

const FOCUS: { readonly [label in ChangeLabel]: string } = {
  improved: 'the last change raised the fitness score; build on what it did',
  degraded: 'the last change lowered the fitness score; revise it, or take another direction',
  unchanged: 'the last change left the fitness score as it was; try a change of another kind',
  failed: 'the program fails its evaluation; first make it valid',
};
const FOCUS_ROOT = 'there is no earlier change to build on; look for a stronger method';

/** The hiding of scores in deltas and feedback. */
type Hide = {
  readonly text: (text: string) => string;
  readonly feedback: (feedback: Feedback, label: ChangeLabel | null) => readonly string[];
  /** What a program printed, quoted; empty in the paper's form. */
  readonly printed: (text: string | undefined) => readonly string[];
  readonly artifacts: (text: string | undefined) => readonly string[];
};

/** A delta was written without sight of scores, so a small whole number in it is a quantity of the method. */
const hiding = ({ parent, history, tried, scores = 'shown', feedback = 'full' }: DeltaPrompt): Hide => {
  const known = new Set(scores === 'shown' ? [] : knownScores(parent, history));
  const unmistakable = new Set([...known].filter((score) => !Number.isInteger(score) || Math.abs(score) >= 1000));
  const output = (title: string, text = ''): readonly string[] =>
    feedback !== 'full' || text === '' ? [] : [`- ${title}:`, '', quoted(hideScores(text, known))];
  return {
    text: (text) => hideScores(text, unmistakable),
    printed: (text) => (tried ? output('What it printed at the end', text) : []),
    artifacts: (text) => output(SHOWED, text),
    feedback: (shown, label) => {
      if (feedback === 'none') return [];
      if (feedback === 'label-only') return [`- Feedback: ${label ?? 'no earlier change'}`];
      const line = showFeedback(scores === 'masked' ? maskedFeedback(shown, known) : shown);
      return [`- Feedback: ${line === '{}' && scores === 'masked' ? 'scores are hidden' : line}`];
    },
  };
};

const knownScores = (
  { score, scoreBefore, feedback }: ShownParent,
  history: readonly ShownDelta[],
): readonly number[] =>
  [
    score,
    scoreBefore,
    ...[feedback, ...history.map((node) => node.feedback)].flatMap(({ values }) => Object.values(values)),
  ].filter((value) => typeof value === 'number');

/** No fence may stand here, because the heading says "current program" to the offline model too. */
const currentProgram = (
  { task, parent, tried, scores = 'shown', feedback = 'full' }: DeltaPrompt,
  hide: Hide,
): string => {
  const { label, score, scoreBefore } = parent;
  const numbers =
    scores === 'shown' && feedback === 'full' && label !== null && score !== null && scoreBefore !== null
      ? ` (${task.scoreName} from ${showNumber(scoreBefore)} to ${showNumber(score)})`
      : '';
  const focus = tried
    ? lastChange(label, tried.mode, numbers)
    : `- Focus areas: ${label === null ? FOCUS_ROOT : FOCUS[label]}${numbers}`;
  const lines = [
    ...(focus === '' ? [] : [focus]),
    ...hide.feedback(parent.feedback, label),
    ...hide.artifacts(parent.artifacts),
    ...hide.printed(parent.printed),
  ];
  return lines.length === 0 ? '' : ['# Current Program Information', '', ...lines].join('\n');
};

/** The text of each node of the history, as it stands in the prompt. */
export const historyTexts = (prompt: DeltaPrompt): readonly string[] => places(prompt, hiding(prompt));

/** The headings are `### Top Delta Plan 1 ..` and `### Diverse Delta Plan 1 ..`. */
const places = ({ history, tried, draw }: DeltaPrompt, hide: Hide): readonly string[] => {
  const counts = { top: 0, diverse: 0, random: 0 };
  const names = { top: 'Top ', diverse: 'Diverse ', random: '' };
  return history.map(({ role, undone = [], feedback, printed, ...node }) => {
    const kind = draw === 'random' ? 'random' : role;
    return [
      `### ${names[kind]}Delta Plan ${(counts[kind] += 1)}`,
      renderNode({ ...node, delta: hiddenIn(node.delta, hide) }),
      ...(undone.length > 0 && tried ? [`- ${undoneWords(undone)}`] : []),
      ...hide.feedback(feedback, node.label),
      ...hide.printed(printed),
    ].join('\n');
  });
};

const hiddenIn = (delta: CompleteDelta, { text }: Hide): CompleteDelta => ({
  ...delta,
  summary: { from: text(delta.summary.from), to: text(delta.summary.to) },
  plan: delta.plan.map(({ component, oldLogic, newLogic, hypothesis }) => ({
    component: text(component),
    oldLogic: text(oldLogic),
    newLogic: text(newLogic),
    hypothesis: text(hypothesis),
  })),
});

/** The common frame says it in the words of every style. */
const request = ({ task, parent, tried = null }: DeltaPrompt, dimensions: readonly string[]): string => {
  const { scoreName, direction } = task;
  if (tried !== null)
    return ['# Request', '', aimWords(tried, task, parent.label === 'failed' ? 'invalid' : 'valid')].join('\n');
  return [
    '# Request',
    '',
    `Suggest changes to the program that raise its FITNESS SCORE, which rises as ${scoreName} ${direction === 'maximise' ? 'rises' : 'falls'}.`,
    ...(dimensions.length === 0
      ? []
      : [
          `The search keeps programs apart along these dimensions: ${dimensions.join(', ')}. A program of similar fitness that differs along them is worth having.`,
        ]),
  ].join('\n');
};
