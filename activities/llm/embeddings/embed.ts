// Activity `embed`: asks the embedding model for vectors of a step's programs, compares them with the population before
// the step, and stores vector and verdict of each program. Stored ones are never asked for again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { costUsd } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import type { Population } from '../../../evolution/population/population.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { IslandAhead, IslandRef, ModelActivities, StepRef } from '../../interface/step.ts';
import { missing, requiredRun } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { DeltaDocument, EmbeddingDocument, Sent } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { type Answered, type Books, createBooks } from '../chat/booked.ts';
import type { Sending } from '../chat/booking.ts';
import { asFailure, ModelError } from '../chat/client.ts';
import { sentAs } from '../chat/usage.ts';
import type { Silence } from '../chat/silence.ts';
import { askAboutNovelty, withVerdicts } from './novelty.ts';
import type { EmbeddingClient } from './client.ts';
import { estimatedTokens } from '../transport/numbers.ts';
import { embedTexts, type TextAnswer } from './embed-texts.ts';
import { embeddingEndpoint } from './endpoint.ts';
import { VectorCache, distanceTo, type Named, type Nearest, nearestOf, packVector, unitVector } from './vectors.ts';

export type EmbedDeps = {
  readonly store: Store;
  /** An island that has gone on while others are at a step before: as the commits of its steps will leave it. */
  readonly islandOf: (at: IslandRef) => Promise<{ readonly population: Population }>;
  /** The client of the settings' endpoint, and the name that it knows the model by. */
  readonly clientFor: (config: RunConfig) => Promise<{
    readonly client: EmbeddingClient;
    readonly model: string;
    readonly acquire?: (signal: AbortSignal, promptTokens: number) => Promise<() => void>;
  }>;
  /** The endpoints that are known to be silent. Left out, the activity keeps its own list. */
  readonly silence?: Silence;
};

export const createEmbed = (deps: EmbedDeps): Pick<ModelActivities, 'embed'> => {
  const { store } = deps;
  const vectors = new VectorCache(store);
  const books = createBooks(store, deps.silence === undefined ? {} : { silence: deps.silence });
  return {
    async embed({ slots, final = [], ahead, told = 0, ...ref }) {
      const idOf = (slot: number): ProgramId => programId(ref.run, ref.step, ref.epoch, slot);
      const stored = new Map(await store.getEmbeddings(slots.map(idOf)));
      const wanted = slots.filter((slot) => !stored.has(idOf(slot)));
      if (wanted.length > 0) {
        const found = await materialOf(deps, ref, ahead, wanted);
        try {
          for await (const document of embedded({ ...deps, vectors, books, told, ref, material: found }))
            stored.set(document._id, document);
        } catch (error) {
          Context.current().cancellationSignal.throwIfAborted();
          throw error instanceof ModelError ? asFailure(error) : error;
        }
      }
      const all = [...stored.values()];
      const config = await store.readConfig(ref.run, ref.version);
      const bySlot = new Map(
        slots.flatMap((slot) => (stored.has(idOf(slot)) ? [[slot, stored.get(idOf(slot))!]] : [])),
      );
      const open = await askAboutNovelty(store, config, ref, bySlot, final);
      const judged = await withVerdicts(store, config, stored);
      const isNew = (slot: number): boolean => !open.includes(slot) && judged.get(idOf(slot))?.duplicate !== true;
      return {
        evaluate: slots.filter(isNew),
        ...(open.length === 0 ? {} : { asks: open.map((slot) => ({ stage: 'novelty' as const, slot })) }),
        tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
        costUsd: all.reduce((sum, document) => sum + document.costUsd, 0),
      };
    },
  };
};

type Candidate = {
  readonly delta: DeltaDocument;
  readonly code: string;
  /** The island with which it is compared. Null for a program that a person wanted, which is never a near-duplicate. */
  readonly island: number | null;
};
type Material = {
  readonly candidates: readonly Candidate[];
  /** Programs alive, by island, oldest first. With `embedding.scope: population` they are the same for every island. */
  readonly alive: (island: number) => readonly ProgramId[];
  readonly references: readonly ProgramId[];
  /** The settings under which the step was planned: model, dimensions, threshold. */
  readonly settings: RunConfig['embedding'] & { readonly model: string };
  /** The newest settings. Endpoint, time-out and price are read anew, so that a change of them cures a parked step. */
  readonly newest: RunConfig;
};

const materialOf = async (
  { store, islandOf }: EmbedDeps,
  ref: StepRef,
  ahead: IslandAhead | undefined,
  slots: readonly number[],
): Promise<Material> => {
  const { run, step, epoch, version } = ref;
  const document = await requiredRun(store, run);
  const population =
    ahead === undefined ? await populationAt(store, document, step) : (await islandOf({ ...ref, ...ahead })).population;
  const config = await store.readConfig(run, version);
  const { model } = config.embedding;
  if (model === null) throw missing(`embedding.model in version ${version} of the settings of run ${run}`);
  const { alive, references } = idsOf(population, config.embedding.scope);
  const deltas = await store.getDeltas(slots.map((slot) => programId(run, step, epoch, slot)));
  const prompts = await store.getPrompts([
    ...new Set(slots.map((slot) => promptId(run, step, epoch, groupOf(slot, config.responses)))),
  ]);
  const codes = await store.getTexts([...deltas.values()].flatMap(({ code }) => code ?? []));
  const candidates = slots.map((slot): Candidate => {
    const delta = deltas.get(programId(run, step, epoch, slot));
    const prompt = prompts.get(promptId(run, step, epoch, groupOf(slot, config.responses)));
    if (!delta || (delta.parent !== null && !prompt)) throw missing(`edits and prompt of step ${step} slot ${slot}`);
    return {
      delta,
      code: (delta.code !== null && codes.get(delta.code)) || '',
      island: delta.parent === null ? null : prompt!.island,
    };
  });
  return { candidates, alive, references, settings: { ...config.embedding, model }, newest: document.config };
};

const populationAt = async (store: Store, { run, committedStep }: RunDocument, step: number): Promise<Population> => {
  if (committedStep === step - 1) return store.population(run);
  throw ApplicationFailure.nonRetryable(
    `expected run ${run} at step ${step - 1}, whose population step ${step} is compared with, got step ${committedStep}`,
    'SupersededError',
  );
};

/** Makes copies, because a population changes in place when its run commits. */
const idsOf = (
  { all, islands, state }: Population,
  scope: RunConfig['embedding']['scope'],
): Pick<Material, 'alive' | 'references'> => {
  const rosters = (scope === 'population' ? [all] : islands).map(({ byBirth }) => byBirth.map(({ id }) => id));
  return { alive: (island) => rosters[scope === 'population' ? 0 : island] ?? [], references: state.references ?? [] };
};

type Work = EmbedDeps & {
  readonly vectors: VectorCache;
  readonly material: Material;
  readonly books: Books;
  readonly told: number;
  readonly ref: StepRef;
};

/** Yields each embedding once it is stored. The answers of one request are stored before the next one is sent. */
async function* embedded(work: Work): AsyncGenerator<EmbeddingDocument> {
  const { store, vectors, clientFor, material } = work;
  const {
    candidates,
    settings,
    references,
    newest: { embedding: newest },
  } = material;
  const { model, ...endpoint } = await clientFor(material.newest);
  const client = bookedClient(work, endpoint);
  const answers = embedTexts({
    client,
    model,
    texts: candidates.map(({ code }) => code),
    dimensions: settings.dimensions,
    timeoutMs: newest.timeoutSeconds * 1000,
    keyOf: (position) => candidates[position]!.delta._id,
    signal: Context.current().cancellationSignal,
  });
  const named: Named[] = [];
  for await (const page of vectors.pages(settings.model, references)) named.push(...page);
  for await (const answer of answers) {
    const units = answer.map(({ values }) => unitVector(values));
    const nearest = await nearestIn(material, vectors, answer, units);
    yield* await client.keep((sent) =>
      store.putEmbeddings(
        answer.map(({ position, cut, tokens }, index): EmbeddingDocument => {
          const { _id, run, step } = candidates[position]!.delta;
          const near = nearest[index]!;
          return {
            _id,
            run,
            step,
            model: settings.model,
            vector: packVector(units[index]!),
            ...(cut ? { cut } : {}),
            nearest: near,
            duplicate: near !== null && settings.threshold !== null && near.similarity > settings.threshold,
            distance: distanceTo(units[index]!, named),
            tokens,
            costUsd: costUsd({ in: tokens, out: 0 }, priceIn(newest.price)),
            ...sent,
          };
        }),
      ),
    );
  }
}

/** Embeddings only read. */
const priceIn = (price: number | null) => (price === null ? null : { in: price, out: 0 });

type BookedClient = EmbeddingClient & {
  /** Stores the vectors that came last. Texts that no endpoint was asked about have none to settle. */
  keep(put: (sent: Sent) => Promise<readonly EmbeddingDocument[]>): Promise<readonly EmbeddingDocument[]>;
};

/**
 * Books each request under the program whose text is its first. The answer to a probe is not stored, so it counts as a
 * request without one.
 */
const bookedClient = (
  { books, told, ref: { run, step, epoch }, material: { newest } }: Work,
  { client, acquire }: Omit<Awaited<ReturnType<EmbedDeps['clientFor']>>, 'model'>,
): BookedClient => {
  let last: { readonly answered: Answered; readonly tokens: number; readonly estimated: boolean } | null = null;
  return {
    async embed(request, signal) {
      const prompt = estimatedTokens(request.texts.reduce((sum, { length }) => sum + length, 0));
      const sending: Sending = {
        ...{ run, step, epoch, stage: 'embedding', told, acquire, signal, prompt },
        // The key begins with the program's id (embed-texts.ts).
        answer: request.key.replace(/(\+.*|:probe)$/, ''),
        to: {
          ...embeddingEndpoint(newest),
          name: newest.embedding.model ?? '',
          price: priceIn(newest.embedding.price),
        },
        maxOut: 0,
        timeoutMs: request.timeoutMs,
      };
      const { answer, answered } = await books.send(sending, () => client.embed(request, signal));
      const estimated = answer.tokens === 0;
      const tokens = estimated ? prompt : answer.tokens;
      if (request.key.endsWith(':probe'))
        await answered.waste(
          { usage: estimated ? null : { in: tokens, out: 0 }, text: '' },
          'it was sent to see whether the endpoint takes any text, and its vectors are not used',
        );
      else last = { answered, tokens, estimated };
      return { ...answer, tokens };
    },
    async keep(put) {
      if (last === null) return put({});
      const { answered, tokens, estimated } = last;
      last = null;
      const sent = sentAs(answered.sending, estimated ? { estimated } : {});
      return answered.keep({ usage: estimated ? null : { in: tokens, out: 0 }, text: '' }, () => put(sent));
    },
  };
};

/** For each answer the nearest program alive in its scope, or null for one that is not judged. */
const nearestIn = async (
  { candidates, settings, alive }: Material,
  vectors: VectorCache,
  answer: readonly TextAnswer[],
  units: readonly Float32Array[],
) => {
  const nearest: (Nearest | null)[] = answer.map(() => null);
  if (settings.threshold === null) return nearest;
  const islandOf = ({ position, cut }: TextAnswer): number | null => {
    const { island } = candidates[position]!;
    return cut || island === null ? null : settings.scope === 'population' ? 0 : island;
  };
  for (const island of new Set(answer.map(islandOf))) {
    if (island === null) continue;
    const places = answer.flatMap((one, index) => (islandOf(one) === island ? [index] : []));
    const found = await nearestOf(
      places.map((index) => units[index]!),
      vectors.pages(settings.model, alive(island)),
    );
    for (const [order, index] of places.entries()) nearest[index] = found[order]!;
  }
  return nearest;
};
