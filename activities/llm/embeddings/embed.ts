// Activity `embed`: asks the embedding model for vectors of a step's programs, compares them with the population before
// the step, and stores vector and verdict of each program. Stored ones are never asked for again.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { costUsd } from '../../../evolution/budget/money.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import type { Population } from '../../../evolution/population/population.ts';
import { groupOf } from '../../../evolution/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { IslandAhead, IslandRef, ModelActivities, StepRef } from '../../interface/step.ts';
import { missing } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents.ts';
import type { DeltaDocument, EmbeddingDocument } from '../../store/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { asFailure, ModelError } from '../chat/client.ts';
import type { EmbeddingClient } from './client.ts';
import { embedTexts, type TextAnswer } from './embed-texts.ts';
import {
  createVectorCache,
  distanceTo,
  type Named,
  type Nearest,
  nearestOf,
  packVector,
  unitVector,
  type VectorCache,
} from './vectors.ts';

export type EmbedDeps = {
  readonly store: Store;
  /** An island that has gone on while others are at a step before: as the commits of its steps will leave it. */
  readonly islandOf: (at: IslandRef) => Promise<{ readonly population: Population }>;
  /** The client of the settings' endpoint, and the name that it knows the model by. */
  readonly clientFor: (config: RunConfig) => Promise<{ readonly client: EmbeddingClient; readonly model: string }>;
};

export const createEmbed = (deps: EmbedDeps): Pick<ModelActivities, 'embed'> => {
  const { store } = deps;
  const vectors = createVectorCache(store);
  return {
    async embed({ slots, ahead, ...ref }) {
      const idOf = (slot: number): ProgramId => programId(ref.run, ref.step, ref.epoch, slot);
      const stored = new Map(await store.getEmbeddings(slots.map(idOf)));
      const wanted = slots.filter((slot) => !stored.has(idOf(slot)));
      if (wanted.length > 0) {
        const found = await materialOf(deps, ref, ahead, wanted);
        try {
          for await (const document of embedded({ ...deps, vectors, material: found }))
            stored.set(document._id, document);
        } catch (error) {
          Context.current().cancellationSignal.throwIfAborted();
          throw error instanceof ModelError ? asFailure(error) : error;
        }
      }
      const all = [...stored.values()];
      return {
        evaluate: slots.filter((slot) => stored.get(idOf(slot))?.duplicate !== true),
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
  const document = await store.readRun(run);
  if (!document) throw missing(`run ${run}`);
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

type Work = EmbedDeps & { readonly vectors: VectorCache; readonly material: Material };

/** Yields each embedding once it is stored. The answers of one request are stored before the next one is sent. */
async function* embedded({ store, vectors, clientFor, material }: Work): AsyncGenerator<EmbeddingDocument> {
  const {
    candidates,
    settings,
    references,
    newest: { embedding: newest },
  } = material;
  const { client, model } = await clientFor(material.newest);
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
    yield* await store.putEmbeddings(
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
          costUsd: costUsd({ in: tokens, out: 0 }, newest.price === null ? null : { in: newest.price, out: 0 }),
        };
      }),
    );
  }
}

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
