// The results of a step, read back from the store: all groups of a step at its commit (commit-step.ts), or
// one island's groups while other islands are still at that step (ahead.ts).
import { programId, promptId } from '../../../evolution/ids.ts';
import { rankedScore } from '../../../evolution/scoring/ranking.ts';
import { bornSeq as bornAt, groupOf, range, slotsIn, slotsOf } from '../../../evolution/schedule/slots.ts';
import { FIRST_INJECTED } from '../../../evolution/schedule/stream.ts';
import type { Child, ProgramId } from '../../../evolution/types.ts';
import { withVerdicts } from '../../llm/embeddings/novelty.ts';
import { embeddingOf } from '../../llm/embeddings/vectors.ts';
import { missing } from '../../run/step-summary.ts';
import { hasFailed, newestForms } from '../../store/content/mended.ts';
import { callsOf, isRefused, stagesMade } from '../../store/content/calls.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type {
  DeltaDocument,
  EmbeddingDocument,
  ProgramDocument,
  PromptDocument,
} from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { evaluationKey } from '../evaluate/evaluate.ts';
import { isEvaluated, type Made } from './program-documents.ts';
import { repairsOf } from './missing-delta.ts';

/**
 * A stored program as insertion takes it. With `childIsland: current` insertion decides the island itself, else it is
 * the one that the program entered.
 */
export const childOf = ({
  _id,
  step,
  slot,
  named,
  bornSeq,
  parents,
  island,
  outcome,
  length,
  fit,
  evaluation,
  sameAs,
  founder,
  values,
  prompt,
  rescored,
}: ProgramDocument): Child => ({
  id: _id,
  // In a stream it is the place in the order of insertion.
  slot: named === undefined ? slot : bornSeq - bornAt(step, 0),
  bornSeq,
  parent: parents[0] ?? null,
  island,
  outcome,
  length,
  ...(fit === undefined ? {} : { fit }),
  ...(outcome !== 'valid' && evaluation !== null ? { evaluated: true } : {}),
  ...(sameAs === undefined ? {} : { sameAs }),
  ...(founder === undefined ? {} : { founder }),
  ...(values === undefined ? {} : { values }),
  ...(prompt === undefined ? {} : { prompt }),
  ...(rescored === undefined ? {} : { rescored }),
});

type StepMade = {
  readonly store: Store;
  /** `config` holds the settings that the step uses. */
  readonly run: Pick<RunDocument, 'run' | 'config' | 'evaluatorDigest'>;
  readonly step: number;
  readonly epoch: number;
  readonly injected: number;
  readonly omitted: readonly number[];
  /** Slots whose missing delta could not be asked for, and why. */
  readonly unrepaired?: readonly { readonly slot: number; readonly reason: string }[];
  /** Left out means all. */
  readonly groups?: readonly number[];
  /** In a stream: the step in whose name its ids are. Injected programs have theirs in the name of `step`. */
  readonly named?: number;
};

export const stepMade = async ({
  store,
  run: { run, config, evaluatorDigest },
  step,
  epoch,
  injected,
  omitted,
  unrepaired = [],
  groups = range(0, config.batch),
  named,
}: StepMade): Promise<Made> => {
  const { responses } = config;
  const asking = step === 0 ? [] : groups;
  const left = new Set(omitted);
  const name = named ?? step;
  const idsOf = (slots: readonly number[], of = name): ProgramId[] =>
    slots.filter((slot) => !left.has(slot)).map((slot) => programId(run, of, epoch, slot));
  const answered = idsOf(asking.flatMap((group) => slotsOf(group, responses)));
  const first = named === undefined ? slotsIn(config) : FIRST_INJECTED;
  const ids = [...answered, ...idsOf(step === 0 ? [0] : range(first, injected), step)];
  const own = await inOrder(store.getDeltas(ids), ids, 'delta');
  const asked = answered.filter((_, index) => !isRefused(own[index]!));
  const rollouts = await inOrder(store.getRollouts(asked), asked, 'response');
  const embedded =
    config.embedding.model === null ? new Map<ProgramId, EmbeddingDocument>() : await store.getEmbeddings(ids);
  const embeddings = embeddingOf(
    own.filter(({ outcome }) => outcome === null),
    await withVerdicts(store, config, embedded),
  );
  const key = (delta: DeltaDocument): string => evaluationKey(delta, { run, evaluatorDigest, config });
  const keys = own.flatMap((delta) => (isEvaluated(delta, embeddings) ? [key(delta)] : []));
  const plans = asking.map((group) => promptId(run, name, epoch, group));
  const [ran, prompts, parents] = await Promise.all([
    store.getEvaluations([...new Set(keys)]),
    inOrder(store.getPrompts(plans), plans, 'prompt'),
    store.getPrograms([...new Set(own.flatMap((delta) => delta.parent ?? []))]),
  ]);

  const failed = own.filter((delta) => delta.outcome === null && hasFailed(delta, ran.get(key(delta))));
  const deltas = await withMended(store, own, failed, config);
  const mended = deltas.flatMap((delta) => (delta.mended === undefined ? [] : [key(delta)]));
  const evaluations = mended.length === 0 ? ran : new Map([...ran, ...(await store.getEvaluations(mended))]);
  const askedAs = {
    ...{ run, step: name, epoch, programs: deltas.map(({ _id }) => _id) },
    ...(named === undefined ? {} : { groups }),
  };
  const open = new Set(failed);
  const unmended = own.filter((delta) => delta.outcome === null && delta.again === undefined && !open.has(delta));
  const calls = await callsOf(
    store,
    askedAs,
    config,
    unmended.map(({ _id }) => _id),
  );
  const promptOf = new Map(prompts.map((prompt) => [prompt.group, prompt]));
  const planOf = ({ slot }: DeltaDocument): PromptDocument | undefined => promptOf.get(groupOf(slot, responses));
  return {
    deltas,
    rollouts,
    evaluations,
    embeddings,
    embedded: [...embedded.values()],
    calls,
    prompts: promptOf,
    stagesOf: await stagesMade(store, prompts),
    repairs: await repairsOf(store, deltas, calls, unrepaired),
    islands: deltas.map((delta) => delta.island ?? planOf(delta)?.island ?? 0),
    seedPrograms: new Set(
      deltas.flatMap((delta) => (delta.island === undefined && planOf(delta)?.founding ? [delta._id] : [])),
    ),
    parentScores: new Map([...parents].map(([id, parent]) => [id, rankedScore(parent)])),
    parentFits: new Map([...parents].map(([id, { fit }]) => [id, fit ?? null])),
  };
};

/** Puts the newest version of each program that was mended after it had failed in the place of the first. */
const withMended = async (
  store: Store,
  first: readonly DeltaDocument[],
  failed: readonly DeltaDocument[],
  config: RunDocument['config'],
): Promise<Made['deltas']> => {
  const ids = failed.map(({ _id }) => _id);
  const forms = await newestForms(store, ids, config);
  return first.map((delta) => {
    const form = forms.get(delta._id);
    return form === undefined ? delta : { ...form, _id: delta._id, mended: form.again! };
  });
};

const inOrder = async <T>(
  found: Promise<ReadonlyMap<string, T>>,
  ids: readonly string[],
  what: string,
): Promise<T[]> => {
  const map = await found;
  return ids.map((id) => {
    const value = map.get(id);
    if (value === undefined) throw missing(`${what} ${id}`);
    return value;
  });
};
