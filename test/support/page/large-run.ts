// A run of any number of programs, made of a recorded one by going through its steps again and again: documents as the
// engine writes them, under new ids and steps. What is read of one program alone (prompts, answers, edits) is left out.
import type { StoredProgram, StoredRun, StoredStep } from '../../../activities/store/documents/stored.ts';
import type { RolloutDocument } from '../../../activities/store/documents/step-documents.ts';
import { programId } from '../../../evolution/ids.ts';
import { markerId } from '../../../activities/store/documents/lineage.ts';
import { storeOver } from '../../../activities/store/open-store.ts';
import { SCHEMA_VERSION, withSchemas } from '../../../activities/store/documents/schema.ts';
import type { Store } from '../../../activities/store/store.ts';
import { MemoryCollection } from '../../doubles/memory-collection.ts';
import { type Documents, storeOf } from './recorded.ts';

export const LARGE = 'large';

type Made = {
  readonly step: StoredStep;
  readonly programs: readonly StoredProgram[];
  readonly rollouts: readonly RolloutDocument[];
};
export type LargeRun = {
  readonly run: StoredRun;
  readonly programs: number;
  readonly lastStep: number;
  /** What a step made; nothing of it is kept. */
  readonly stepOf: (step: number) => Made;
};

/** Of about so many programs: whole steps. */
export const largeRun = (recorded: Documents, programs: number): LargeRun => {
  const all = <T>(name: string): readonly T[] => (recorded.get(name) ?? []) as unknown as readonly T[];
  const [source] = all<StoredRun>('runs');
  const steps = [...all<StoredStep>('steps')].sort((a, b) => a.step - b.step);
  const programsOf = Map.groupBy(all<StoredProgram>('programs'), ({ step }) => step);
  const rolloutsOf = Map.groupBy(all<RolloutDocument>('rollouts'), ({ step }) => step);
  const last = source!.committedStep;
  const perStep = Math.max(...steps.slice(1).map(({ step }) => programsOf.get(step)?.length ?? 0));
  const count = Math.ceil(programs / perStep);
  /** The initial program is there once. */
  const renamed = (id: string, shift: number): string => {
    const [, step = '', epoch = '', slot = ''] = id.split(':');
    return programId(LARGE, Number(step) === 0 ? 0 : Number(step) + shift, Number(epoch), Number(slot));
  };
  return {
    programs: count * perStep,
    lastStep: count,
    run: {
      ...source!,
      _id: LARGE,
      run: LARGE,
      committedStep: count,
      lineage: [{ step: 0, generation: source!.generation, run: LARGE }],
      totals: { ...source!.totals, programs: count * perStep },
      best: source!.best && { ...source!.best, program: renamed(source!.best.program, 0) },
    },
    stepOf(step) {
      const from = step === 0 ? 0 : 1 + ((step - 1) % last);
      const shift = step - from;
      const marker = steps[from]!;
      return {
        step: {
          ...marker,
          _id: markerId(LARGE, step, marker.generation),
          run: LARGE,
          step,
          at: new Date(marker.at.getTime() + shift * 3_000),
          totals: { ...marker.totals, programs: step * perStep },
          best: marker.best && { ...marker.best, program: renamed(marker.best.program, shift) },
        },
        programs: (programsOf.get(from) ?? []).map((program) => ({
          ...program,
          _id: renamed(program._id, shift),
          run: LARGE,
          step,
          bornSeq: program.bornSeq + shift * 1_000_000,
          parents: program.parents.map((parent) => renamed(parent, shift)),
          schema: SCHEMA_VERSION,
        })),
        rollouts: (rolloutsOf.get(from) ?? []).map((rollout) => ({
          ...rollout,
          _id: renamed(rollout._id, shift),
          run: LARGE,
          step,
          schema: SCHEMA_VERSION,
        })),
      };
    },
  };
};

/** Documents of a large run are made when they are read, so that no memory is taken by them. */
class MadeCollection<T extends StoredProgram | RolloutDocument> extends MemoryCollection<T> {
  readonly #of: (step: number) => readonly T[];
  #last: { readonly step: number; readonly byId: ReadonlyMap<string, T> } = { step: -1, byId: new Map() };

  constructor(name: string, of: (step: number) => readonly T[]) {
    super(name);
    this.#of = of;
  }

  override async get(id: string): Promise<T | null> {
    return this.#made(id) ?? super.get(id);
  }

  override async getMany(ids: readonly string[]): Promise<readonly T[]> {
    return ids.flatMap((id) => this.#made(id) ?? []);
  }

  #made(id: string): T | undefined {
    const step = Number(id.split(':')[1]);
    if (this.#last.step !== step) this.#last = { step, byId: new Map(this.#of(step).map((one) => [one._id, one])) };
    return this.#last.byId.get(id);
  }
}

/** A store that has the large run alone. */
export const largeStore = async (recorded: Documents, programs: number): Promise<Store> => {
  const large = largeRun(recorded, programs);
  const few = new Map([...recorded].filter(([name]) => name === 'tasks' || name === 'blobs'));
  const { collections } = await storeOf(few);
  const { runs, steps } = withSchemas(collections);
  await runs.insertAll([large.run]);
  await steps.insertAll(Array.from({ length: large.lastStep + 1 }, (_, step) => large.stepOf(step).step));
  return storeOver({
    ...collections,
    programs: new MadeCollection('programs', (step) => large.stepOf(step).programs),
    rollouts: new MadeCollection('rollouts', (step) => large.stepOf(step).rollouts),
  });
};
