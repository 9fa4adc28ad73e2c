// The store over any portable collections: mongo/connect.ts gives it a database's, memory/memory-store.ts gives it Maps.
import { commitStep } from './commit.ts';
import type { RunId } from '../../evolution/types.ts';
import { everyDocument } from './every-document.ts';
import { openStep } from './fence.ts';
import { getByIds, insertOrGet } from './insert-or-get.ts';
import { generationOf, isCommitted, markerId } from './lineage.ts';
import { PopulationCache } from './population-cache.ts';
import { eachProgram, knownHashes } from './programs.ts';
import { createRun, listRuns, requireRun, setConfig, setIsolation, setStatus } from './run-documents.ts';
import type { StepDocument } from './documents.ts';
import type { Store } from './store.ts';
import type { Collections } from './stored.ts';
import { textsIn } from './texts.ts';

const TEXT_CACHE_BYTES = 32e6;

export const storeOver = (collections: Collections, close: () => Promise<void> = async () => {}): Store => {
  const texts = textsIn(collections.blobs, TEXT_CACHE_BYTES);
  const cache = new PopulationCache(collections, texts);
  const { prompts, rollouts, deltas, evaluations, programs } = collections;
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

    putPrompts: (documents) => insertOrGet(prompts, documents),
    getPrompts: (ids) => getByIds(prompts, ids),
    putRollouts: (documents) => insertOrGet(rollouts, documents),
    getRollouts: (ids) => getByIds(rollouts, ids),
    putDeltas: (documents) => insertOrGet(deltas, documents),
    getDeltas: (ids) => getByIds(deltas, ids),
    putEvaluations: (documents) => insertOrGet(evaluations, documents),
    getEvaluations: (ids) => getByIds(evaluations, ids),
    knownHashes: (run, hashes, beforeStep) => knownHashes(collections, run, hashes, beforeStep),

    getPrograms: (ids) => getByIds(programs, ids),
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
