// What `evolve prune` asks of the store.
import type { RunId } from '../../../evolution/types.ts';

/** Bytes are about what the documents take, from some that were looked at. */
export type Amount = { readonly documents: number; readonly bytes: number };

/** Bytes are those of the texts before they are packed. `later` is what was put too lately to go already. */
export type TextAmounts = { readonly now: Amount; readonly later: Amount };

export interface Pruning {
  /** Why no run can have this name, where one was removed that had it; null where one can. */
  nameTaken(run: RunId): Promise<string | null>;
  /** Why each of these runs may not be removed together with the others; those that may are left out. */
  heldRuns(chosen: readonly RunId[]): Promise<ReadonlyMap<RunId, string>>;
  /** What a run takes, without texts, which several runs may share. */
  amountOfRun(run: RunId): Promise<Amount>;
  /**
   * Why the run stays after all; null once it is gone. May be repeated. `beside` takes what is outside the database, once
   * the run is certain to go.
   */
  removeRun(run: RunId, chosen: readonly RunId[], beside?: () => void): Promise<string | null>;
  /** Removes the ended sweeps of which no run is left, and returns their names. */
  removeSweeps(): Promise<readonly string[]>;
  /** Answers of the run that a rewind or a resampling gave up, and what was made of them. */
  amountOfSuperseded(run: RunId): Promise<Amount>;
  removeSuperseded(run: RunId): Promise<Amount>;
  /** Texts that nothing refers to but these runs. */
  unreferencedTexts(without: readonly RunId[]): Promise<TextAmounts>;
  /** Removes the texts that nothing refers to and that nobody has put for hours. */
  removeTexts(): Promise<TextAmounts>;
}
