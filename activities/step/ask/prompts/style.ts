// The interface of a style of prompts (`prompt.style`), and the texts that styles share: the statement of the problem
// for a group, people's hints, and programs as prompts show them.
import type { Disclosed } from '../../../../evolution/deltas/delta.ts';
import type { DiffSettings, RunConfig } from '../../../../evolution/config/run-config.ts';
import { type StyleName, styleOf } from '../../../../evolution/config/styles.ts';
import { patchedDiff } from '../../../../evolution/prompts/patch.ts';
import { metricsIn } from '../../../../evolution/prompts/parts/metrics-text.ts';
import {
  type CardProgram,
  errorOf,
  MEASURED_WITH,
  type ShownProgram,
  type Telling,
} from '../../../../evolution/prompts/parts/program-card.ts';
import type { EditSettings } from '../../../../evolution/prompts/parts/sections.ts';
import { printedOf } from '../../../../evolution/prompts/parts/printed.ts';
import { type Statement, statementOf, type StatedBy } from '../../../../evolution/prompts/parts/statement.ts';
import type { TemplateOf } from '../../../../evolution/prompts/parts/template.ts';
import { rankedScore } from '../../../../evolution/scoring/ranking.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { Message, ProgramId, RunId } from '../../../../evolution/types.ts';
import { artifactsForModels } from '../../../store/content/artifacts.ts';
import type { Ahead } from '../../../store/ahead.ts';
import type { EvaluationDocument, GroupPlan, ProgramDocument } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';

/** A group whose programs are to be asked for, with what its stages made. */
export type ToCompose = {
  readonly plan: GroupPlan;
  /** The idea to carry out; null without ideation. */
  readonly idea: string | null;
  /** The evolved prompt to ask with; null where prompts do not evolve. */
  readonly prompt: string | null;
};

export type StyleInput = {
  readonly store: Store;
  readonly task: Task;
  readonly config: RunConfig;
  readonly run: RunId;
  readonly step: number;
  readonly groups: readonly ToCompose[];
  /** Given where earlier steps are not committed yet. `store` has what they made all the same. */
  readonly ahead?: Ahead | undefined;
  /** Told what each group's prompt discloses of programs, by the id of its plan, where it shows them as deltas. */
  readonly onDisclosed?: ((plan: string, nodes: readonly Disclosed[]) => void) | undefined;
};

/**
 * The messages for the programs of each group, in order: a system message, then user and assistant in turn, with a user
 * message last.
 */
export type Style<S extends StyleName> = (
  input: StyleInput,
  template: TemplateOf<S>,
) => Promise<readonly (readonly Message[])[]>;

export const messagesOf = ({
  system,
  user,
}: {
  readonly system: string;
  readonly user: string;
}): readonly Message[] => [
  { role: 'system', content: system },
  { role: 'user', content: user },
];

/**
 * The weighted part that was drawn for the group. Where the task was edited since and has it no more, its first part.
 */
export const partOf = (task: Task, { part }: GroupPlan): Task['prompts'][number] =>
  task.prompts.find(({ name }) => name === part) ?? task.prompts[0]!;

/** The task as requests tell of it: in the common frame the score has the name of what ranks. */
export const asRanked = (task: Task, { evaluation: { scoring }, prompt: { frame } }: RunConfig): Task => {
  const strict = `${task.scoreName}_strict`;
  return frame === 'paper' || scoring === 'tolerant' || task.metrics?.[strict] === undefined
    ? task
    : { ...task, scoreName: strict, tolerantName: task.scoreName };
};

/** The settings on which the statement of the problem depends. */
export const statedBy = (config: RunConfig): StatedBy => {
  const { frame, feedback, scores } = config.prompt;
  const told = frame === 'common' && feedback === 'full';
  const { statesMetrics, showsAttempts } = styleOf(config);
  return {
    frame,
    metrics: told && statesMetrics && scores === 'shown',
    printed: told && showsAttempts,
    acceptSavedOnTimeout: config.evaluation.acceptSavedOnTimeout,
    evolvesAll: config.exploration.promptBlock === 'all',
  };
};

/** Problem, limits and as advice the group's part, or what is given in its place. */
export const stated = (task: Task, plan: GroupPlan, config: RunConfig, advice?: string | null): Statement =>
  statementOf(task, statedBy(config), advice ?? partOf(task, plan).text);

/**
 * The same for prompts about ideas. It is empty in the papers' form, where the idea of the initial program says what
 * the problem is.
 */
export const statedBeside = (...of: Parameters<typeof stated>): Statement =>
  of[2].prompt.frame === 'paper' ? { problem: '', advice: '' } : stated(...of);

/** What stands in the place of the drawn advice: the evolved prompt, or nothing where an idea came of it before. */
export const insteadOf = (
  task: Task,
  { prompt: { frame } }: RunConfig,
  { prompt, idea }: Pick<ToCompose, 'prompt' | 'idea'>,
): string | null => prompt ?? (idea !== null && frame === 'common' && task.problem != null ? '' : null);

/** The instructions of the group for its answer; `codeOf` gives the program to cross with. */
export const patchSettings = (
  { diff }: RunConfig,
  { patch }: GroupPlan,
  codeOf: (id: ProgramId) => string,
): DiffSettings & Pick<EditSettings, 'patch'> => ({
  ...patchedDiff(diff, patch),
  ...(patch && { patch: { kind: patch.kind, code: patch.with === undefined ? '' : codeOf(patch.with) } }),
});

export const hintsFor = ({ prompt }: RunConfig, { island }: GroupPlan): readonly string[] =>
  prompt.hints.filter((hint) => hint.island === null || hint.island === island).map(({ text }) => text);

export type Shown = ShownProgram & {
  readonly program: ProgramDocument;
  readonly evaluation: EvaluationDocument | null;
};

export const showPrograms = async (
  store: Store,
  task: Task,
  all: readonly ProgramId[],
  telling: Telling,
): Promise<ReadonlyMap<ProgramId, Shown>> => {
  const programs = await store.getPrograms([...new Set(all)]);
  const texts = await store.getTexts([...programs.values()].flatMap(({ code }) => code ?? []));
  const evaluations = await store.getEvaluations([
    ...new Set([...programs.values()].flatMap(({ evaluation }) => evaluation ?? [])),
  ]);
  return new Map(
    [...programs].map(([id, program]) => {
      const evaluation = (program.evaluation !== null && evaluations.get(program.evaluation)) || null;
      // CPU time is what the limit holds for. Wall time would tell how busy the machine was.
      const cpuMs = evaluation?.cpuMs ?? null;
      return [
        id,
        {
          program,
          evaluation,
          code: program.code === null ? '' : (texts.get(program.code) ?? ''),
          outcome: program.outcome,
          score: rankedScore(program),
          printed: evaluation === null ? '' : printedOf(task, evaluation),
          metrics: {
            ...tolerantScore(task, telling, evaluation),
            ...metricsIn(task, telling, evaluation?.metrics ?? {}),
            ...otherConditions(task, telling, evaluation),
            ...(cpuMs === null ? {} : { runtime_s: Number((cpuMs / 1000).toFixed(3)) }),
          },
        },
      ];
    }),
  );
};

/** The programs that are to be changed, with what their evaluators showed. */
export const withArtifacts = async (
  store: Store,
  { task, config: { prompt } }: Pick<StyleInput, 'task' | 'config'>,
  parents: readonly Shown[],
): Promise<readonly Shown[]> => {
  const evaluations = parents.flatMap(({ evaluation }) => evaluation ?? []);
  const artifacts = await artifactsForModels(store, { task, prompt }, evaluations);
  return parents.map((one) => ({ ...one, artifacts: artifacts.get(one.evaluation?._id ?? '') }));
};

/** In the common frame, the limit of a score that was measured under another one than today's. */
const otherConditions = (
  { limits: { cpuSeconds } }: Task,
  { frame }: Telling,
  evaluation: EvaluationDocument | null,
): { readonly [name: string]: string } =>
  frame !== 'common' || evaluation?.cpuLimit === undefined || evaluation.cpuLimit === cpuSeconds
    ? {}
    : { [MEASURED_WITH]: `${evaluation.cpuLimit} s of CPU time` };

const tolerantScore = (
  { tolerantName }: Task,
  { scores }: Telling,
  evaluation: EvaluationDocument | null,
): { readonly [name: string]: number } => {
  const score = evaluation?.score ?? null;
  return tolerantName === undefined || scores === 'masked' || score === null ? {} : { [tolerantName]: score };
};

/** Everything that the groups show: parents, prior programs, context. */
export const shownIn = (
  plans: readonly {
    readonly parent: ProgramId;
    readonly priorPrograms: readonly ProgramId[];
    readonly context?: readonly { readonly id: ProgramId }[];
  }[],
): readonly ProgramId[] =>
  plans.flatMap(({ parent, priorPrograms, context = [] }) => [
    parent,
    ...priorPrograms,
    ...context.map(({ id }) => id),
  ]);

/** The exit code, errors and edits of a program. In the common frame what it printed is an error where it failed. */
export const resultOf = (
  { program: { reasons, edits, outcome }, evaluation, printed = '' }: Shown,
  frame: RunConfig['prompt']['frame'],
): Pick<CardProgram, 'exitCode' | 'error' | 'edits'> => ({
  exitCode: evaluation?.exitCode ?? null,
  error: errorOf({
    reasons,
    stderrTail: frame === 'paper' ? (evaluation?.stderrTail ?? '') : outcome === 'valid' ? '' : printed,
  }),
  edits,
});

/** The programs that the plan shows in one of these roles. */
export const idsWith = ({ context = [] }: Pick<GroupPlan, 'context'>, ...roles: readonly ShownRole[]): ProgramId[] =>
  context.flatMap(({ id, role }) => (roles.includes(role) ? [id] : []));

type ShownRole = NonNullable<GroupPlan['context']>[number]['role'];
