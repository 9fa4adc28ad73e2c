// Style `conversation`: the evolved prompt is the system message, ancestors are earlier turns, and other programs are
// inspirations (CodeEvolve 4.2; docs/methods/codeevolve.md, The conversation).
import { LRUCache } from 'lru-cache';
import { type Ancestor, buildConversation } from '../../evolution/prompts/conversation.ts';
import { adviceOf, limitsSection, problemOf } from '../../evolution/prompts/statement.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task.ts';
import type { BlobRef, Outcome, ProgramId, RunId } from '../../evolution/types.ts';
import type { Ahead } from '../store/ahead.ts';
import type { ProgramDocument } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';
import { initialPrompt } from './evolved-prompts.ts';
import { cardsOf } from './openevolve.ts';
import {
  hintsFor,
  partOf,
  returnedLines,
  shownIn,
  showPrograms,
  statedBy,
  type Style,
  type ToCompose,
} from './style.ts';

const MAX_RUNS = 8;

/** Outcomes of a program that failed. A refused idea is not among them, because no program came of it. */
const FAILED: ReadonlySet<Outcome> = new Set<Outcome>(['no_diff', 'no_change', 'duplicate', 'no_solution', 'invalid']);

type Read = {
  readonly generation: number;
  readonly view: number;
  readonly before: number;
  readonly latest: Map<string, ProgramId>;
};

/** Steps below `beforeStep` are committed, except those of `ahead`. */
type Asked = {
  readonly store: Store;
  readonly run: RunId;
  readonly beforeStep: number;
  readonly ahead?: Ahead | undefined;
};
/** The latest failed child of a program on an island; null where none failed there. */
type FailureOf = (parent: ProgramId, island: number) => ProgramId | null;

/**
 * Finds the latest failed child of each parent on its island, which the conversation shows too (CodeEvolve 4.4,
 * Evaluation). What this process has read of a run is kept, and each step reads on from there; a run that was rewound
 * is read anew.
 */
const createLatestFailures = (): ((asked: Asked) => Promise<FailureOf>) => {
  const committed = createCommitted();
  return async ({ store, run, beforeStep, ahead }) => {
    const latest = await committed(ahead?.base ?? store, run, ahead === undefined ? beforeStep : ahead.committed + 1);
    const later = new Map<string, ProgramId>();
    for (const { programs } of ahead?.steps ?? []) for (const program of programs) note(later, program);
    return (parent, island) => later.get(keyOf(parent, island)) ?? latest.get(keyOf(parent, island)) ?? null;
  };
};

const createCommitted = (): ((
  store: Store,
  run: RunId,
  beforeStep: number,
) => Promise<ReadonlyMap<string, ProgramId>>) => {
  const stores = new WeakMap<Store, LRUCache<RunId, Promise<Read>>>();
  return async (store, run, beforeStep) => {
    const runs = stores.get(store) ?? new LRUCache<RunId, Promise<Read>>({ max: MAX_RUNS });
    stores.set(store, runs);
    const document = await store.readRun(run);
    if (document === null) return new Map<string, ProgramId>();
    const { generation, view } = document;
    const going = (runs.get(run) ?? Promise.resolve(null))
      .catch(() => null)
      .then((read) =>
        bringForward(
          store,
          run,
          beforeStep,
          read !== null && read.generation === generation && read.view === view && read.before <= beforeStep
            ? read
            : { generation, view, before: 0, latest: new Map() },
        ),
      );
    runs.set(run, going);
    return (await going).latest;
  };
};

/** Reads in the order of birth, so that a later failure replaces an earlier one. */
const bringForward = async (store: Store, run: RunId, beforeStep: number, read: Read): Promise<Read> => {
  if (read.before === beforeStep) return read;
  for await (const program of store.eachProgram(run, { fromStep: read.before })) {
    if (program.step >= beforeStep) break;
    note(read.latest, program);
  }
  return { ...read, before: beforeStep };
};

const note = (latest: Map<string, ProgramId>, { _id, outcome, island, parents: [parent] }: ProgramDocument): void => {
  if (parent !== undefined && FAILED.has(outcome)) latest.set(keyOf(parent, island), _id);
};

const keyOf = (parent: ProgramId, island: number): string => `${island} ${parent}`;

const latestFailures = createLatestFailures();

/** The estimate that the documentation of `prompt.maxTokens` states. */
const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

export const conversation: Style<'conversation'> = async (
  { store, task, config, run, step, groups, ahead },
  template,
) => {
  const plans = groups.map(({ plan }) => plan);
  const failedOf = config.prompt.failure ? await latestFailures({ store, run, beforeStep: step, ahead }) : () => null;
  const failureOf = ({ plan }: ToCompose): ProgramId | null =>
    plan.founding === true ? null : failedOf(plan.parent, plan.island);
  const cards = await cardsOf(
    store,
    task,
    [...shownIn(plans), ...groups.flatMap((group) => failureOf(group) ?? [])],
    config.prompt,
  );
  const parents = await showPrograms(
    store,
    plans.map(({ parent }) => parent),
  );
  const responses = await responsesTo(store, groups);
  const returned = config.prompt.reintroduced
    ? await returnedLines(
        store,
        plans.map(({ parent }) => parent),
      )
    : new Map<ProgramId, readonly string[]>();
  return groups.map((group) => {
    const { plan, idea, prompt } = group;
    const failure = failureOf(group);
    return buildConversation(
      {
        ...systemOf(task, config, prompt ?? initialPromptOf(task, config, plan)),
        code: parents.get(plan.parent)!.code,
        task,
        limits: task.limits,
        settings: config.diff,
        operator: plan.operator ?? 'exploit',
        ancestors: ancestorsOf(group).map(({ id, child }): Ancestor => ({
          card: cards.get(id)!,
          response: responses.get(child) ?? '',
        })),
        inspirations: inspirationsOf(group).map((id) => cards.get(id)!),
        target: cards.get(plan.parent)!,
        failure: failure === null ? null : (cards.get(failure) ?? null),
        returned: returned.get(plan.parent) ?? [],
        idea,
        hints: hintsFor(config, plan),
        parse: config.diff.parse,
        budget: { maxPromptTokens: config.prompt.maxTokens, estimateTokens },
      },
      template,
    ).messages;
  });
};

/** The prompt, and beside it what no edit of it can change. */
const systemOf = (task: Task, config: RunConfig, prompt: string) => {
  const by = statedBy(config);
  return {
    problem: problemOf(task, by),
    prompt: adviceOf(task, by, prompt),
    ...(task.problem == null && by.frame === 'common' ? { limitsText: limitsSection(task, by) } : {}),
    ...(task.problem == null ? {} : { limitsText: '' }),
  };
};

/** Where prompts do not evolve: the part that was drawn for the group; in the papers' form the island's first prompt. */
const initialPromptOf = (task: Task, config: RunConfig, plan: ToCompose['plan']): string =>
  config.prompt.frame === 'paper' && task.problem == null
    ? initialPrompt(task, config, plan.island)
    : partOf(task, plan).text;

/** All other programs that are shown beside the parent, whatever their role. */
const inspirationsOf = ({ plan: { priorPrograms, context = [] } }: ToCompose): readonly ProgramId[] => [
  ...priorPrograms,
  ...context.flatMap(({ id, role }) => (role === 'ancestor' ? [] : [id])),
];

/** Oldest first, each with the child that was made from it. */
const ancestorsOf = ({
  plan: { parent, context = [] },
}: ToCompose): readonly { readonly id: ProgramId; readonly child: ProgramId }[] => {
  const chain = context.flatMap(({ id, role }) => (role === 'ancestor' ? [id] : []));
  return chain.map((id, index) => ({ id, child: chain[index + 1] ?? parent }));
};

/** The response that each program was made from, by program. */
const responsesTo = async (store: Store, groups: readonly ToCompose[]): Promise<ReadonlyMap<ProgramId, string>> => {
  const rollouts = await store.getRollouts([
    ...new Set(groups.flatMap((group) => ancestorsOf(group).map(({ child }) => child))),
  ]);
  const texts = await store.getTexts([...rollouts.values()].map(({ response }): BlobRef => response));
  return new Map([...rollouts].map(([id, { response }]) => [id, texts.get(response) ?? '']));
};
