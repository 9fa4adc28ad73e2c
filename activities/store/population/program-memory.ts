// Programs that this process wrote or read lately, so that the plan of each step does not read the programs again that
// most prompts show. A document may be replaced by that of a newer generation, and by nothing else. So what is
// remembered counts only for a reader who names the run as it was just read, and while the generation is the live one.
import { LRUCache } from 'lru-cache';
import type { ProgramId } from '../../../evolution/types.ts';
import type { RunDocument } from '../documents/documents.ts';
import { isCommitted, isOwn } from '../documents/lineage.ts';
import { getPrograms } from './programs.ts';
import type { ProgramDocument } from '../documents/step-documents.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';

export class ProgramMemory {
  readonly #collections: Collections;
  readonly #kept: LRUCache<ProgramId, ProgramDocument>;

  constructor(collections: Collections, most: number) {
    this.#collections = collections;
    this.#kept = new LRUCache({ max: most });
  }

  keep(programs: Iterable<ProgramDocument>): void {
    for (const program of programs) this.#kept.set(program._id, program);
  }

  /** Without `run` all are read, and none is remembered. */
  async get(ids: readonly ProgramId[], run?: RunDocument): Promise<ReadonlyMap<ProgramId, ProgramDocument>> {
    if (run === undefined) return getPrograms(this.#collections, ids);
    const live = new Map<ProgramId, ProgramDocument>();
    for (const id of ids) {
      const program = this.#kept.get(id);
      if (program !== undefined && isLive(run as StoredRun, program)) live.set(id, program);
    }
    const unread = ids.filter((id) => !live.has(id));
    if (unread.length === 0) return live;
    const read = await getPrograms(this.#collections, unread);
    this.keep(read.values());
    return new Map([...live, ...read]);
  }
}

/** False for the programs that a fork has from another run, which are read each time. */
const isLive = (run: StoredRun, { run: owner, step, generation }: ProgramDocument): boolean =>
  owner === run._id && isOwn(run, step) && isCommitted(run, step, generation);
