// The store over any portable collections: mongo/connect.ts gives it a database's, memory/memory-store.ts gives it Maps.
import { commitStep } from './commit.ts';
import type { RunId } from '../../evolution/types.ts';
import { everyDocument } from './every-document.ts';
import { openStep } from './fence.ts';
import { gathered } from './gathered.ts';
import { immutableIn } from './immutable.ts';
import { generationOf, isCommitted, markerId } from './lineage.ts';
import { PopulationCache } from './population-cache.ts';
import { eachProgram, getPrograms, knownHashes } from './programs.ts';
import { createRun, listRuns, requireRun, setConfig, setIsolation, setStatus } from './run-documents.ts';
import type { StepDocument } from './documents.ts';
import type { Store } from './store.ts';
import type { Collections } from './stored.ts';
import { textsIn } from './texts.ts';

const TEXT_CACHE_BYTES = 32e6;

export const storeOver = (given: Collections, close: () => Promise<void> = async () => {}): Store => {
  const collections = gathered(given);
  const texts = textsIn(collections.blobs, TEXT_CACHE_BYTES);
  const cache = new PopulationCache(collections, texts);
  const prompts = immutableIn(collections.prompts);
  const rollouts = immutableIn(collections.rollouts);
  const deltas = immutableIn(collections.deltas);
  const evaluations = immutableIn(collections.evaluations);
  return {
    putTexts: (bodies) => texts.put(bodies),
    getTexts: (refs) => texts.get(refs),

    createRun: (run) => createRun(collections, run),
    readRun: (run) => collections.runs.get(run),
    listRuns: () => listRuns(collections),
    setStatus: (run, status, detail) => setStatus(collections, run, status, detail),
    setConfig: (run, config, fromVersion) => setConfig(collections, run, config, fromVersion),
    setIsolation: (run, isolation) => setIsolation(collections, run, isolation),

    openStep: (run, step, owner) => openStep(collections, run, step, owner),
    readStep: (run, step, generation) => readStep(collections, run, step, generation),

    putPrompts: (documents) => prompts.put(documents),
    getPrompts: (ids) => prompts.get(ids),
    putRollouts: (documents) => rollouts.put(documents),
    getRollouts: (ids) => rollouts.get(ids),
    putDeltas: (documents) => deltas.put(documents),
    getDeltas: (ids) => deltas.get(ids),
    putEvaluations: (documents) => evaluations.put(documents),
    getEvaluations: (ids) => evaluations.get(ids),
    knownHashes: (run, hashes, beforeStep) => knownHashes(collections, run, hashes, beforeStep),

    getPrograms: (ids) => getPrograms(collections, ids),
    eachProgram: (run, options) => eachProgram(collections, run, options?.fromStep ?? 0),
    population: (run) => cache.population(run),
    commit: (commit) => commitStep({ collections, texts, cache }, commit),
    exportRun: (run) => everyDocument(collections, run),

    close,
  };
};

/** The state as the lineage has it: marking what a rewind superseded may have been cut short. */
const readStep = async (collections: Collections, runId: RunId, step: number, generation: number): Promise<StepDocument | null> => {
  const marker = await collections.steps.get(markerId(runId, step, generation));
  if (marker === null) return null;
  const run = await requireRun(collections, runId);
  if (isCommitted(run, step, generation)) return { ...marker, state: 'committed' };
  return { ...marker, state: marker.state === 'prepared' && generationOf(run.lineage, step) === generation ? 'prepared' : 'superseded' };
};
