// The part of the store that keeps programs and the population, and commits steps.
import type { Population } from '../../../evolution/population/population.ts';
import type { ProgramId, RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type { RunDocument } from '../documents/documents.ts';
import type { ProgramDocument } from '../documents/step-documents.ts';
import type { Collections } from '../documents/stored.ts';
import { type Commit, commitStep } from './commit.ts';
import type { PopulationCache } from './population-cache.ts';
import { ProgramMemory } from './program-memory.ts';
import { eachProgram, knownHashes } from './programs.ts';

export interface PopulationStore {
  /** With a run that was just read, programs of it that this process knows are not read again. */
  getPrograms(ids: readonly ProgramId[], run?: RunDocument): Promise<ReadonlyMap<ProgramId, ProgramDocument>>;
  /**
   * All candidates in (step, slot) order, read in pages. The initial program (step 0) comes first. With `comparable`
   * those alone that are scored by the present version of the task, of which its initial program comes first.
   */
  eachProgram(
    run: RunId | RunDocument,
    options?: { readonly fromStep?: number; readonly comparable?: true },
  ): AsyncIterable<ProgramDocument>;
  /**
   * The population after the last committed step; cached. Here and elsewhere a document that was just read through this
   * store saves a read.
   */
  population(run: RunId | RunDocument): Promise<Population>;
  /** Reads from the population with no commit in between; it is that after the committed step `step`. */
  readPopulation<T>(run: RunId, read: (population: Population, step: number) => T): Promise<T>;
  /**
   * Writes programs and the change set, and moves the commit point. Repeating it changes nothing. Throws
   * SupersededError when generation or predecessor do not match and the step is not already this commit's. Of commits in
   * a row those may be left out that another attempt had begun, and the run says how far it has come.
   */
  commit(commit: Commit): Promise<RunDocument>;
  /** The hashes among these that an evaluated program of an earlier committed step has, with the earliest such one. */
  knownHashes(
    run: RunId | RunDocument,
    hashes: readonly string[],
    beforeStep: number,
  ): Promise<ReadonlyMap<string, ProgramId>>;
}

export const populationStore = (
  collections: Collections,
  texts: Texts,
  cache: PopulationCache,
  remembered: number,
): PopulationStore => {
  const memory = new ProgramMemory(collections, remembered);
  const waiting = new WeakMap();
  return {
    getPrograms: (ids, run) => memory.get(ids, run),
    eachProgram: (run, options) =>
      eachProgram({ collections, cache }, run, options, (ids, read) => memory.get(ids, read)),
    population: (run) => cache.population(run),
    readPopulation: (run, read) => cache.read(run, read),
    commit: (commit) => commitStep({ collections, texts, cache, memory, waiting }, commit),
    knownHashes: (run, hashes, beforeStep) => knownHashes(collections, run, hashes, beforeStep),
  };
};

/** The store for work on a run that was just read: programs of it that this process knows are not read again. */
export const withRun = <S extends Pick<PopulationStore, 'getPrograms'>>(store: S, run: RunDocument): S => ({
  ...store,
  getPrograms: (ids) => store.getPrograms(ids, run),
});
