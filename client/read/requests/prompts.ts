// The requests to models for a group of a step, and the answers in the stages before the programs.
import { ownMessages } from '../../../activities/llm/chat/messages.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type {
  ProgramDocument,
  PromptDocument,
  StoredMessage,
} from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Disclosed } from '../../../evolution/deltas/delta.ts';
import { initialIdeaId, programId, promptId, stageId, answeredId } from '../../../evolution/ids.ts';
import { commonPrefix, requestText, type Shares, sharesOf } from '../../../evolution/prompts/shares.ts';
import { groupOf, slotsOf } from '../../../evolution/schedule/slots.ts';
import type { Message, ProgramId, RunId, Usage } from '../../../evolution/types.ts';
import { UsageError } from '../../connect/errors.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { taskOf } from '../../connect/loaded-late.ts';
import { ANSWERED, type AnsweredStage, BEFORE, roundsOf, type Stage } from '../../../evolution/stages.ts';
import { firstPlanned, groupsOf, newestPlanned, notPlanned, numbersOf, placeOf, promptAt } from './prompt-places.ts';

export type PromptStage = Stage | 'program' | AnsweredStage;
/** The calls of a group in their order; `program` is the request for its programs. */
export const PROMPT_STAGES: readonly PromptStage[] = [...BEFORE, 'program', ...ANSWERED];

/** The defaults are the newest planned step, group 0 and every stage. */
type PromptQuery = { readonly step?: number; readonly group?: number; readonly stage?: PromptStage };

type StageAnswer = {
  readonly text: string;
  readonly reasoning: string | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: Usage;
  readonly costUsd: number;
};
/**
 * `answer` is null where none has come yet or the call failed. The answers to `program` belong to the programs.
 * `program` is the program of a repair or a further answer.
 */
export type StageSent = {
  readonly stage: PromptStage;
  readonly program?: ProgramId;
  readonly messages: readonly Message[];
  readonly answer: StageAnswer | null;
};

export type PromptLimits = {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly memoryMiB: number;
  readonly cores: number;
};

export type PromptReport = {
  /** The run that made the step. For the first steps of a fork this is another run. */
  readonly run: RunId;
  readonly step: number;
  readonly epoch: number;
  readonly group: number;
  readonly parent: ProgramId;
  readonly island: number;
  readonly part: string;
  readonly operator: 'exploit' | 'explore' | null;
  /** The version of the settings under which the step was planned. */
  readonly settings: number;
  /** As enforced on the step's programs; null where the task cannot be read any more. */
  readonly limits: PromptLimits | null;
  /**
   * The share of each program that the request for programs shows, the parent first, with an estimate of its tokens.
   * Null where it shows no deltas and before it is written.
   */
  readonly disclosed: readonly Disclosed[] | null;
  /** What the request for programs is made of, in characters; null before it is written. */
  readonly shares: Shares | null;
  /**
   * Characters at its beginning that an earlier request for programs of this step, or one of the step before, has too:
   * an endpoint can read them from its cache. Null before it is written.
   */
  readonly commonPrefix: number | null;
  readonly stages: readonly StageSent[];
  /** Programs for which an answer has come, or which ended with their group. */
  readonly programs: readonly {
    readonly id: ProgramId;
    readonly model: string | null;
    readonly finishReason: string | null;
    readonly outcome: string | null;
    readonly reason: string | null;
  }[];
};

/** Throws UsageError where the step is not planned, or has no such group or stage. It changes nothing. */
export const promptOf = async (
  store: Store,
  document: RunDocument,
  { step, group: wanted, stage }: PromptQuery,
): Promise<PromptReport> => {
  const place = step === undefined ? await newestPlanned(store, document) : await placeOf(store, document, step);
  const first = await firstPlanned(store, document, place);
  if (first === undefined) throw new UsageError(await notPlanned(store, document, place.step));
  const config = await store.readConfig(place.run, first.configVersion);
  const { responses } = config;
  const group = wanted ?? first.group;
  const prompt = group === first.group ? first : await promptAt(store, { ...place, group });
  if (prompt === undefined)
    throw new UsageError(
      `--group: expected ${numbersOf(place.groups ?? groupsOf(config))}, a group of step ${place.step} of run ${document.run} that is planned, got ${group}`,
    );
  const slots = slotsOf(group, responses).map((slot) => programId(place.run, place.named, place.epoch, slot));
  const all = await stagesSent(store, prompt, slots);
  const stages = stage === undefined ? all : all.filter((one) => one.stage === stage);
  if (stages.length === 0) {
    throw new UsageError(
      `--stage: step ${place.step}, group ${group} of run ${document.run} has asked for nothing in stage ${stage}; expected ${all.map((one) => one.stage).join(', ')}`,
    );
  }
  const { run, epoch, parent, island, part, operator = null, configVersion } = prompt;
  const asked = all.find((one) => one.stage === 'program')?.messages ?? null;
  return {
    run,
    step: place.step,
    epoch,
    group,
    parent,
    island,
    part,
    operator,
    settings: configVersion,
    disclosed: prompt.disclosed ?? (await disclosedLater(store, prompt)),
    limits: limitsOf(await taskIn(store, document, configVersion)),
    shares: asked === null ? null : sharesOf(asked),
    commonPrefix: asked === null ? null : await prefixOf(asked, store, document, { ...place, group }),
    stages,
    programs: await programsIn(store, prompt, responses),
  };
};

/** The longest beginning that it shares with the requests of earlier groups of its step, and of the step before. */
const prefixOf = async (
  asked: readonly Message[],
  store: Store,
  document: RunDocument,
  { group, ...place }: Awaited<ReturnType<typeof placeOf>> & { readonly group: number },
): Promise<number> => {
  const before = place.step > 1 ? [await placeOf(store, document, place.step - 1)] : [];
  const ids = [place, ...before].flatMap(({ run, named, epoch, groups = groupsOf(document.config) }, index) =>
    groups.filter((one) => index > 0 || one < group).map((one) => promptId(run, named, epoch, one)),
  );
  const own = [...(await store.getPrompts(ids)).values()].filter(({ first }) => first === undefined);
  const earlier = await sentIn(
    store,
    ids.map((id) => ({ stage: 'program', id: stageId(id, 'program') })),
    new Map(own.map((prompt) => [stageId(prompt._id, 'program'), { messages: ownMessages(prompt) }])),
  );
  const text = requestText(asked);
  return Math.max(0, ...earlier.map(({ messages }) => commonPrefix(requestText(messages), text)));
};

/** The task under a version of the settings; null where it cannot be read. */
export const taskIn = async (store: Store, run: RunDocument, version: number): Promise<Task | null> => {
  const config = await store.readConfig(run.run, version);
  return taskOf(store, { ...run, config }).catch(() => null);
};

export const limitsOf = (task: Task | null): PromptLimits | null => {
  if (task === null) return null;
  const { cpuSeconds, wallSeconds, memoryBytes, cores } = task.limits;
  return { cpuSeconds, wallSeconds, memoryMiB: Math.round(memoryBytes / 2 ** 20), cores };
};

/** The disclosure of a group whose programs are asked for after other stages. */
const disclosedLater = async (store: Store, { _id }: PromptDocument): Promise<PromptReport['disclosed']> => {
  const id = stageId(_id, 'program');
  return (await store.getRequests([id])).get(id)?.disclosed ?? null;
};

/**
 * The prompt from which a program came, or null where no model was asked for it. A group that was refused has prompts
 * and no answers.
 */
export const promptBehind = async (
  store: Store,
  { run, step, named = step, epoch, slot }: Pick<ProgramDocument, 'run' | 'step' | 'named' | 'epoch' | 'slot'>,
): Promise<PromptDocument | null> => {
  const first = await promptAt(store, { run, named, epoch, group: 0 });
  if (first === undefined) return null;
  const { responses } = await store.readConfig(run, first.configVersion);
  const group = groupOf(slot, responses);
  return group === 0 ? first : ((await promptAt(store, { run, named, epoch, group })) ?? null);
};

/** The judgement of the initial idea, which belongs to the initial program; none for any other program. */
export const initialJudgement = async (
  store: Store,
  { run, step, epoch }: Pick<ProgramDocument, 'run' | 'step' | 'epoch'>,
): Promise<readonly StageSent[]> =>
  step > 0 ? [] : sentIn(store, [{ stage: 'judge', id: initialIdeaId(run, epoch) }], new Map());

/** The calls of one group in their order. Of repairs and further answers, only those of these programs. */
export const stagesSent = async (
  store: Store,
  prompt: PromptDocument,
  programs: readonly ProgramId[],
): Promise<readonly StageSent[]> => {
  const config = await store.readConfig(prompt.run, prompt.configVersion);
  // The ids have the form that RequestDocument describes.
  const all = PROMPT_STAGES.flatMap((stage): readonly Sent[] =>
    isAnswered(stage)
      ? programs.flatMap((program) =>
          (stage === 'evaluator' ? roundsOf(stage, config) : ROUNDS).map((round) => ({
            stage,
            id: answeredId(program, stage, round),
            program,
          })),
        )
      : [{ stage, id: stageId(prompt._id, stage) }],
  );
  return sentIn(
    store,
    all,
    new Map(prompt.first === undefined ? [[stageId(prompt._id, 'program'), { messages: ownMessages(prompt) }]] : []),
  );
};

type Sent = { readonly stage: PromptStage; readonly id: string; readonly program?: ProgramId };
type Request = { readonly messages: readonly StoredMessage[] };

/** The requests under these ids with their answers; `known` are requests that are stored elsewhere. */
const sentIn = async (
  store: Store,
  all: readonly Sent[],
  known: ReadonlyMap<string, Request>,
): Promise<readonly StageSent[]> => {
  const ids = all.map(({ id }) => id);
  const requests = new Map<string, Request>([...(await store.getRequests(ids)), ...known]);
  const calls = await store.getCalls(ids);
  const texts = await store.getTexts([
    ...[...requests.values()].flatMap(({ messages }) => messages.map(({ content }) => content)),
    ...[...calls.values()].flatMap(({ response, reasoning }) => [response, ...(reasoning === null ? [] : [reasoning])]),
  ]);
  return all.flatMap(({ stage, id, program }): readonly StageSent[] => {
    const [request, call] = [requests.get(id), calls.get(id)];
    // A request without messages belongs to a group that was refused, whose programs were never asked for.
    if (request === undefined || request.messages.length === 0) return [];
    return [
      {
        stage,
        ...(program === undefined ? {} : { program }),
        messages: request.messages.map(({ role, content }) => ({ role, content: texts.get(content) ?? '' })),
        answer:
          call === undefined
            ? null
            : {
                text: texts.get(call.response) ?? '',
                reasoning: call.reasoning === null ? null : (texts.get(call.reasoning) ?? null),
                model: call.model,
                finishReason: call.finishReason,
                usage: call.usage,
                costUsd: call.costUsd,
              },
      },
    ];
  });
};

/** The calls about a program have no number, or one up to the most that a setting allows (`repair.rounds`). */
const ROUNDS = [undefined, 1, 2, 3];

const isAnswered = (stage: PromptStage): stage is AnsweredStage => ANSWERED.some((one) => one === stage);

const programsIn = async (
  store: Store,
  { run, step, epoch, group }: PromptDocument,
  responses: number,
): Promise<PromptReport['programs']> => {
  const ids = slotsOf(group, responses).map((slot) => programId(run, step, epoch, slot));
  const [rollouts, deltas] = [await store.getRollouts(ids), await store.getDeltas(ids)];
  const programs = await store.getPrograms(ids);
  return ids
    .filter((id) => rollouts.has(id) || deltas.has(id))
    .map((id) => {
      const [rollout, delta, program] = [rollouts.get(id), deltas.get(id), programs.get(id)];
      return {
        id,
        model: rollout?.model ?? null,
        finishReason: rollout?.finishReason ?? null,
        outcome: program?.outcome ?? delta?.outcome ?? null,
        reason: program?.reasons[0] ?? delta?.reason ?? null,
      };
    });
};
