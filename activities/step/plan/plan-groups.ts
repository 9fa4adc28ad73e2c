// Plans the groups of a step: which parent each has, what it is shown, and which stage it is asked first.
import type { Disclosed } from '../../../evolution/deltas/delta.ts';
import type { Roster } from '../../../evolution/archives/roster.ts';
import { firstIndex } from '../../../evolution/binary-search.ts';
import { isTie } from '../../../evolution/deltas/delta.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import { promptId } from '../../../evolution/ids.ts';
import { modelPool } from '../../../evolution/models/ensemble.ts';
import type { Population } from '../../../evolution/population/population.ts';
import type { Mode } from '../../../evolution/prompts/parts/aim.ts';
import { drawPart, drawParts } from '../../../evolution/prompts/theta-prompt.ts';
import { drawPatch } from '../../../evolution/prompts/patch.ts';
import { rng } from '../../../evolution/rng.ts';
import { BEFORE, isAsked, stagesOf } from '../../../evolution/stages.ts';
import { drawParents, type ParentDraw } from '../../../evolution/selection/selection.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { BlobRef, Message, ProgramId, RunId } from '../../../evolution/types.ts';
import type { StepPlan } from '../../interface/step.ts';
import { storeMessages } from '../../llm/chat/messages.ts';
import { compose } from '../ask/prompts/compose.ts';
import type { StyleInput } from '../ask/prompts/style.ts';
import { shownBeside } from './context.ts';
import { evolvedPrompts } from '../ask/prompts/evolved-prompts.ts';
import { apart, latestNotes } from '../ask/prompts/tried.ts';
import { writeRequest } from '../ask/stages/requests.ts';
import { readTexts } from '../../reading/reading.ts';
import type { Ahead } from '../../store/ahead.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { GroupPlan, PromptDocument, StoredMessage } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

type Groups = {
  readonly store: Store;
  readonly task: Task;
  readonly run: Pick<RunDocument, 'run'>;
  readonly step: number;
  readonly epoch: number;
  readonly config: RunConfig;
  readonly version: number;
  /** The population after the step before, on the islands of these groups. It is read before the first await. */
  readonly population: Population;
  readonly groups: readonly number[];
  /** Given where earlier steps are not committed yet. */
  readonly ahead?: Ahead | undefined;
  /** The policy that the trainable model answers as in this step, in runs that learn. */
  readonly policy?: string | undefined;
};

export const planGroups = async (of: Groups): Promise<void> => {
  const { store, task, run: document, step, config, ahead } = of;
  const { run } = document;
  const plans = await plansOf(of);
  for (const plan of plans)
    if (plan.first !== undefined)
      await writeRequest(store, plan, plan.first, { store, task, config, run, step, plan, made: {}, ahead });
  const asking = await askingOf(store, plans);
  const disclosed = new Map<string, readonly Disclosed[]>();
  const onDisclosed = (plan: string, nodes: readonly Disclosed[]): unknown => disclosed.set(plan, nodes);
  const messages = await storeMessages(
    store,
    await compose({ store, task, config, run, step, groups: asking, ahead, onDisclosed }),
  );
  const asked = new Map(asking.map(({ plan }, index) => [plan._id, messages[index]!]));
  await store.putPrompts(
    plans.map((plan) => {
      const nodes = disclosed.get(plan._id);
      return {
        ...withMessages(plan, asked.get(plan._id) ?? []),
        ...(nodes === undefined ? {} : { disclosed: nodes }),
      };
    }),
  );
};

/** The requests to groups without a stage before their programs. Nothing is stored. */
export const draftRequests = async (of: Omit<Groups, 'ahead'>): Promise<readonly (readonly Message[])[]> => {
  const asking = await askingOf(of.store, await plansOf(of));
  return compose({ ...of, run: of.run.run, groups: asking });
};

const plansOf = async ({
  store,
  task,
  run: document,
  step,
  epoch,
  config,
  version,
  population,
  groups,
  policy,
  ahead,
}: Groups): Promise<readonly GroupPlan[]> => {
  const { run } = document;
  const draws = drawParents({ population, step, batch: config.batch, seed: config.seed, settings: config, groups });
  const framed = framesOf(draws, { task, config, step, groups, population });
  const [beside, prompts] = await Promise.all([
    shownBeside(store, population, draws, {
      ...{ run, config, step, groups },
      ...(ahead && { before: ahead.committed + 1 }),
    }),
    evolvedPrompts(store, population, draws, { task, config, step, groups }),
  ]);
  const recommended = await recommendations(store, run, { config, step, groups, ahead });
  return draws
    .map((draw, index): GroupPlan => ({
      _id: promptId(run, step, epoch, groups[index]!),
      run,
      step,
      epoch,
      group: groups[index]!,
      parent: draw.parent,
      island: draw.island,
      priorPrograms: beside[index]!.prior,
      ...framed[index]!,
      configVersion: version,
      ...(policy === undefined ? {} : { policy }),
      ...(beside[index]!.context.length === 0 ? {} : { context: beside[index]!.context }),
      ...(draw.branch === 'initialisation' ? { founding: true } : {}),
      ...(draw.operator === undefined ? {} : { operator: draw.operator }),
      ...prompts[index]!,
      ...patchOf(config, step, groups[index]!, beside[index]!),
    }))
    .map((plan, index): GroupPlan => {
      const text = recommended[index]!;
      // A cross has its aim already (ShinkaEvolve 0.0.7).
      return text === null || plan.patch?.kind === 'cross' ? plan : { ...plan, recommended: text };
    })
    .map((plan): GroupPlan => {
      const [first] = stagesOf(config, plan);
      return first === undefined ? plan : { ...plan, first };
    });
};

/** A recommendation for each group, drawn from the newest notes of the run; null where there are none. */
const recommendations = async (
  store: Store,
  run: RunId,
  { config: { prompt, seed }, step, groups, ahead }: Pick<Groups, 'config' | 'step' | 'groups' | 'ahead'>,
): Promise<readonly (BlobRef | null)[]> => {
  const notes = prompt.notes === null ? null : await latestNotes({ store, run, beforeStep: step, ahead });
  const text = notes === null ? '' : ((await store.getTexts([notes.text])).get(notes.text) ?? '');
  const all = text === '' ? [] : ((await readTexts('notes', [text]))[0]!.value ?? []);
  if (all.length === 0) return groups.map(() => null);
  return store.putTexts(groups.map((group) => rng(seed, 'notes', step, group).pick(all)));
};

const patchOf = (
  { prompt, seed }: RunConfig,
  step: number,
  group: number,
  { prior, context }: Awaited<ReturnType<typeof shownBeside>>[number],
): Pick<GroupPlan, 'patch'> =>
  prompt.patches === null
    ? {}
    : {
        patch: drawPatch(prompt.patches, [...context.map(({ id }) => id), ...prior], rng(seed, 'patch', step, group)),
      };

/** The groups that are asked for programs at once, with the texts of the evolved prompts that they begin with. */
const askingOf = async (store: Store, plans: readonly GroupPlan[]): Promise<StyleInput['groups']> => {
  const direct = plans.filter(({ first }) => first === undefined);
  const texts = await store.getTexts(direct.flatMap(({ prompt }) => prompt?.text ?? []));
  return direct.map((plan) => ({
    plan,
    idea: null,
    prompt: plan.prompt === undefined ? null : (texts.get(plan.prompt.text) ?? null),
  }));
};

type Framed = Pick<GroupPlan, 'part' | 'alike' | 'mode' | 'rank' | 'shared'>;

/**
 * The advice that each group is given. In the common frame, groups that change the same program are given different
 * parts as long as there are some. Such a group is told how many they are, its mode where one was drawn, the rank of
 * the program, and how many programs share the best score.
 */
const framesOf = (
  draws: readonly ParentDraw[],
  { task, config, step, groups, population }: Pick<Groups, 'task' | 'config' | 'step' | 'groups' | 'population'>,
): readonly Framed[] => {
  if (config.prompt.frame === 'paper' || !styleOf(config).showsAttempts)
    return groups.map((group) => ({ part: drawPart(task.prompts, rng(config.seed, 'part', step, group)).name }));
  const alone = apart(config);
  const alike = Map.groupBy(draws.keys(), (index) => `${alone ? draws[index]!.island : ''} ${draws[index]!.parent}`);
  const framed = new Map<number, Framed>();
  for (const members of alike.values()) {
    const parts: Task['prompts'][number][] = [];
    for (const [place, index] of members.entries()) {
      if (place % task.prompts.length === 0)
        parts.push(...drawParts(task.prompts, members.length - place, rng(config.seed, 'part', step, groups[index]!)));
      const { parent, island } = draws[index]!;
      const mode = modeOf(draws[index]!, config, population);
      const roster = alone ? population.islands[island]! : population.all;
      const rank = rankOf(parent, roster);
      const shared = sharingBest(roster);
      framed.set(index, {
        part: parts[place]!.name,
        ...(members.length === 1 ? {} : { alike: { place: place + 1, of: members.length } }),
        ...(mode === null ? {} : { mode }),
        ...(rank === null ? {} : { rank }),
        ...(shared < SHARED_FROM ? {} : { shared }),
      });
    }
  }
  return draws.map((_, index) => framed.get(index)!);
};

/**
 * The operator, or what the mixture drew: a member of the island to explore from, or one of the archive to exploit. A
 * draw by score is neither. Nothing of the initial program is worth refining.
 */
const modeOf = (
  { operator, branch, parent }: ParentDraw,
  { selection: { kind } }: RunConfig,
  { members }: Population,
): Mode | null => {
  const drawn =
    operator ?? (kind !== 'mixture' ? null : branch === 'archive' ? 'exploit' : branch === 'island' ? 'explore' : null);
  return drawn !== 'explore' && members.get(parent)?.bornSeq === 0 ? 'initial' : drawn;
};

/** The place of a program among these by score; null where none is better. */
const rankOf = (id: ProgramId, { byId, worstFirst }: Roster): NonNullable<GroupPlan['rank']> | null => {
  const own = byId.get(id);
  if (own === undefined) return null;
  const better = worstFirst.length - firstIndex(worstFirst.length, (index) => worstFirst[index]!.fit > own.fit);
  return better === 0 ? null : { place: better + 1, of: worstFirst.length };
};

/** Prompts say how many programs share the best score where they are so many. */
const SHARED_FROM = 3;

/** The number of programs with the best score. Scores are equal where they differ in digits that no prompt shows. */
const sharingBest = ({ worstFirst }: Roster): number => {
  const best = worstFirst.at(-1)?.fit ?? 0;
  return worstFirst.length - firstIndex(worstFirst.length, (index) => isTie(worstFirst[index]!.fit, best));
};

/** The groups that have a stage before their programs, with that stage. */
export const preludesOf = async (
  store: Store,
  { config, run, step, epoch, groups }: Pick<Groups, 'config' | 'step' | 'epoch' | 'groups'> & { readonly run: string },
): Promise<NonNullable<StepPlan['preludes']>> => {
  if (!BEFORE.some((stage) => isAsked(stage, config))) return [];
  const prompts = await store.getPrompts(groups.map((group) => promptId(run, step, epoch, group)));
  return [...prompts.values()]
    .flatMap(({ group, first }) => (first === undefined ? [] : [{ group, stage: first }]))
    .sort((a, b) => a.group - b.group);
};

/** A prompt of two messages is stored as system and user, a longer one as a conversation. It is empty before a stage. */
const withMessages = (plan: GroupPlan, messages: readonly StoredMessage[]): PromptDocument => {
  const [system, user, ...more] = messages;
  return {
    ...plan,
    system: system?.content ?? '',
    user: user?.content ?? '',
    ...(more.length === 0 ? {} : { messages }),
  };
};

/** A step with fewer requests has little to gain from asking for many in one activity. */
const BATCHED_FROM = 16;

export const requestsOf = (newest: RunConfig, config: RunConfig): Pick<StepPlan, 'perRequest' | 'batched'> => {
  const perRequest = perRequestOf(newest, config);
  const requests = config.batch * Math.ceil(config.responses / perRequest);
  return { perRequest, ...(requests < BATCHED_FROM ? {} : { batched: true }) };
};

/** The responses of one request: one where an endpoint gives only one answer at a time. */
export const perRequestOf = (newest: RunConfig, { responses }: RunConfig): number =>
  modelPool(newest).some(({ nativeN }) => nativeN === false) ? 1 : responses;
