// What the model reads under method `theta` (ThetaEvolve, section 2, Prompt). Called when a step is planned; the offline model finds
// the parent and the prior programs by the headings.
import type { DiffSettings } from '../config/run-config.ts';
import type { Rng } from '../rng.ts';
import type { Task } from '../task.ts';
import type { Outcome } from '../types.ts';
import { editRules } from './edit-rules.ts';
import { hintSection } from './hint-section.ts';
import { metricsLine } from './metrics-line.ts';
import { reintroducedSection } from './reintroduced-section.ts';

export type PromptPart = Task['prompts'][number];

export type ShownProgram = {
  readonly code: string;
  readonly outcome: Outcome;
  /** Raw objective; null unless valid. */
  readonly score: number | null;
  readonly metrics: { readonly [name: string]: number | string | boolean };
};

export type ContextRole = 'elite' | 'diverse' | 'inspiration' | 'best' | 'ancestor';

export type ThetaPrompt = {
  readonly task: Task;
  readonly part: PromptPart;
  readonly parent: ShownProgram;
  /** Programs shown beside the parent; none is iterative refinement. */
  readonly prior: readonly ShownProgram[];
  /** Further programs beside the parent, and why they are shown; ancestors oldest first. */
  readonly context?: readonly { readonly role: ContextRole; readonly program: ShownProgram }[] | undefined;
  /** Lines of the parent that an ancestor had deleted and that came back. */
  readonly reintroduced?: readonly string[] | undefined;
  /** An idea to carry out. */
  readonly idea?: string | null | undefined;
  /** What people ask of the model; none when left out. */
  readonly hints?: readonly string[] | undefined;
  /** Left out: the method's own. */
  readonly settings?: Pick<DiffSettings, 'enforceBlock' | 'maxCodeChars'> | undefined;
};

const SYSTEM = 'You are an experienced software developer and mathematician who improves a codebase step by step until its results are the best known.';
const SETTINGS = { enforceBlock: true, maxCodeChars: 50_000 };

/** One weighted entry of meta-information, drawn once for a whole group. */
export const drawPart = (parts: readonly PromptPart[], random: Rng): PromptPart => parts[random.weighted(parts.map((part) => part.weight))]!;

export const buildThetaPrompt = (
  { task, part, parent, prior, context = [], reintroduced = [], idea = null, hints = [], settings = SETTINGS }: ThetaPrompt,
): { readonly system: string; readonly user: string } => ({
  system: SYSTEM,
  user: [
    part.text.trim(),
    ...others(task, [...prior.map((program) => ({ role: null, program })), ...context.filter(({ role }) => role !== 'ancestor')]),
    ...earlierVersions(task, context.filter(({ role }) => role === 'ancestor').map(({ program }) => program)),
    `# Current program\n\n${show(task, parent)}`,
    ...(reintroduced.length === 0 ? [] : [reintroducedSection(reintroduced)]),
    ...(idea === null ? [] : [ideaSection(idea)]),
    editRules(parent.code, settings),
    ...(hints.length === 0 ? [] : [hintSection(hints)]),
    goal(task),
  ].join('\n\n'),
});

const WHY: { readonly [role in ContextRole]: string } = {
  elite: 'one of the best', diverse: 'of another kind', inspiration: 'an inspiration', best: 'the best so far', ancestor: 'an ancestor',
};

const others = (task: Task, programs: readonly { readonly role: ContextRole | null; readonly program: ShownProgram }[]): readonly string[] =>
  (programs.length === 0 ? [] : [['# Prior programs', ...programs.map(({ role, program }, index) =>
    `## Program ${index + 1}${role === null ? '' : `, ${WHY[role]}`}\n\n${show(task, program)}`)].join('\n\n')]);

const earlierVersions = (task: Task, ancestors: readonly ShownProgram[]): readonly string[] =>
  (ancestors.length === 0 ? [] : [[
    '# Earlier versions', 'What follows is how the program below came about, oldest first.',
    ...ancestors.map((program, index) => `## Version ${index + 1}\n\n${show(task, program)}`),
  ].join('\n\n')]);

const show = (task: Task, program: ShownProgram): string => `${metricsLine(task, program)}\n\n${fenced(program.code)}`;

/** A fence longer than any run of backticks in the code. */
const fenced = (code: string): string => {
  const runs = code.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}python\n${code.replace(/\n+$/, '')}\n${fence}`;
};

/** Quoted, so that fences and markers in it are words. */
const ideaSection = (idea: string): string =>
  `# Proposal\n\nCarry out this idea:\n\n${idea.trim().split(/\r\n?|\n/).map((line) => `> ${line}`.trimEnd()).join('\n')}`;

const goal = ({ scoreName, direction }: Task): string => [
  '# Task',
  '',
  `Propose one new idea that ${direction === 'maximise' ? 'raises' : 'lowers'} ${scoreName} beyond the current program's value, and carry it out with SEARCH/REPLACE blocks.`,
  'Think first about what limits the current program; a bold change of method is worth more than a changed constant.',
  'Do not rewrite the whole program: edit the parts that your idea needs.',
].join('\n');
