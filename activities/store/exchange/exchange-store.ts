// The part of the store that writes runs to an export, and takes them from one.
import type { RunId } from '../../../evolution/types.ts';
import type { Texts } from '../content/texts.ts';
import type { Collections } from '../documents/stored.ts';
import { everyDocument, type Exported } from './every-document.ts';
import { type Imported, importRuns } from './import-runs.ts';
import type { CheckedExport } from './import.ts';

export interface ExchangeStore {
  /** Every document of a run and of those that it was forked off, by collection and `_id`; then their texts. */
  exportRun(run: RunId): AsyncIterable<Exported>;
  /**
   * Puts the runs of an export into the database: all or none. Runs that it was forked off may be there already. Throws
   * ConflictError where the run itself is, or where those have changed.
   */
  importRuns(checked: CheckedExport): Promise<Imported>;
}

export const exchangeStore = (collections: Collections, texts: Texts): ExchangeStore => ({
  exportRun: (run) => everyDocument(collections, texts, run),
  importRuns: (checked) => importRuns(collections, texts, checked),
});
