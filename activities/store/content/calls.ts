// Reads back what the stages of a step's groups made, and every call of a step beside its responses.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { judgesInitialIdea } from '../../../evolution/ideas/idea.ts';
import { initialIdeaId, programId, stageId, answeredId } from '../../../evolution/ids.ts';
import type { Outcome, ProgramId } from '../../../evolution/types.ts';
import { ANSWERED, BEFORE, isAsked, roundsOf, STAGES, type StageSettings } from '../../../evolution/stages.ts';
import type {
  CallDocument,
  GroupPlan,
  PromptDocument,
  RolloutDocument,
  StagesMade,
} from '../documents/step-documents.ts';
import { type AskedIn, programsIn, promptsIn } from '../documents/step-ids.ts';
import type { ContentStore } from './content-store.ts';
import { formIds } from './mended.ts';

/** True where the candidate's group ended before programs were asked for. */
export const isRefused = ({ outcome }: { readonly outcome: Outcome | null }): boolean =>
  outcome === 'rejected' || outcome === 'unparsed' || outcome === 'idea_failed' || outcome === 'rm_failed';

/** By group. */
export const stagesMade = async (
  store: Pick<ContentStore, 'getRequests'>,
  prompts: readonly PromptDocument[],
): Promise<ReadonlyMap<number, StagesMade>> => {
  const staged = prompts.filter(({ first }) => first !== undefined);
  const requests = await store.getRequests(staged.map(({ _id }) => stageId(_id, 'program')));
  return new Map([...requests.values()].flatMap(({ group, made }) => (made === undefined ? [] : [[group, made]])));
};

/** A group whose idea is to change another program than its parent, with that program in the parent's place. */
export const basedOn = <P extends GroupPlan>(plan: P, { base }: Pick<StagesMade, 'base'>): P =>
  base === undefined || base === plan.parent
    ? plan
    : {
        ...plan,
        parent: base,
        // What was said of the parent does not hold for its base.
        rank: undefined,
        alike: undefined,
        priorPrograms: plan.priorPrograms.filter((id) => id !== base),
        context: (plan.context ?? []).filter(({ id, role }) => id !== base && role !== 'ancestor'),
      };

/** The prompts of groups by id, each with the program that its programs are made from as the parent. */
export const promptsWithBases = async (
  store: Pick<ContentStore, 'getPrompts' | 'getRequests'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PromptDocument>> => {
  const prompts = await store.getPrompts(ids);
  if ([...prompts.values()].every(({ first }) => first === undefined)) return prompts;
  const made = await stagesMade(store, [...prompts.values()]);
  return new Map([...prompts].map(([id, prompt]) => [id, basedOn(prompt, made.get(prompt.group) ?? {})]));
};

type Calling = Pick<RunConfig, 'batch' | 'responses'> & StageSettings;

/** The ids of every call that a step with these settings can have made. */
export const callIds = (
  asked: AskedIn,
  config: Calling,
  /** Programs of which no model was asked to mend them. */
  unmended: ReadonlySet<ProgramId> = new Set(),
): readonly string[] => {
  if (asked.step === 0)
    return [
      ...(judgesInitialIdea(config) ? [initialIdeaId(asked.run, asked.epoch)] : []),
      ...evaluatorIds(asked, config),
    ];
  const stages = BEFORE.some((stage) => isAsked(stage, config)) ? BEFORE : [];
  const answered = ANSWERED.filter((stage) => stage !== 'evaluator' && isAsked(stage, config));
  const programs = answered.length === 0 ? [] : programsIn(asked, config);
  return [
    ...(stages.length === 0 ? [] : promptsIn(asked, config)).flatMap((prompt) =>
      stages.map((stage) => stageId(prompt, stage)),
    ),
    ...answered.flatMap((stage) =>
      programs
        .filter((program) => STAGES[stage].resumes !== 'apply' || !unmended.has(program))
        .flatMap((program) => roundsOf(stage, config).map((round) => answeredId(program, stage, round))),
    ),
    ...evaluatorIds(asked, config),
  ];
};

const evaluatorIds = (asked: AskedIn, config: Calling): readonly string[] => {
  const rounds = roundsOf('evaluator', config);
  if (rounds.length === 0) return [];
  const initial = asked.step === 0 ? [programId(asked.run, 0, asked.epoch, 0)] : null;
  return (asked.programs ?? initial ?? programsIn(asked, config))
    .flatMap((program) => [program, ...formIds(program, config)])
    .flatMap((form) => rounds.map((round) => answeredId(form, 'evaluator', round)));
};

type Answered = Pick<RolloutDocument, 'response' | 'reasoning'>;

/** The answer with the change of each program: the first of which something was taken. Later ones mend it. */
export const answersBehind = async (
  store: Pick<ContentStore, 'getRollouts' | 'getDeltas' | 'getCalls'>,
  ids: readonly ProgramId[],
): Promise<ReadonlyMap<ProgramId, Answered>> => {
  const [rollouts, deltas] = [await store.getRollouts(ids), await store.getDeltas(ids)];
  const further = [...deltas.values()].flatMap(({ _id, told }) =>
    told === undefined ? [] : [{ program: _id, call: answeredId(_id, 'repair', told) }],
  );
  const calls = await store.getCalls(further.map(({ call }) => call));
  const answers = new Map<ProgramId, Answered>(rollouts);
  for (const { program, call } of further) if (calls.has(call)) answers.set(program, calls.get(call)!);
  return answers;
};

/** The calls of a step that were answered. `unmended`: programs of which no model was asked to mend them. */
export const callsOf = async (
  store: Pick<ContentStore, 'getCalls'>,
  of: AskedIn,
  config: Calling,
  unmended: readonly ProgramId[] = [],
): Promise<readonly CallDocument[]> => {
  const ids = callIds(of, config, new Set(unmended));
  return ids.length === 0 ? [] : [...(await store.getCalls(ids)).values()];
};
