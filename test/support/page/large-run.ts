// A run of any number of programs, made of a recorded one by going through its steps again and again: documents as the
// engine writes them, under new ids and steps. What is read of one program alone (prompts, answers, edits) is left out.
import type { StoredProgram, StoredRun, StoredStep } from '../../../activities/store/stored.ts';
import type { RolloutDocument } from '../../../activities/store/step-documents.ts';
import { programId } from '../../../evolution/ids.ts';
import { markerId } from '../../../activities/store/lineage.ts';
import type { Documents } from './recorded.ts';

export const LARGE = 'large';

export type LargeRun = {
  readonly run: StoredRun;
  readonly programs: number;
  /** A step after the other. */
  readonly steps: Iterable<{
    readonly step: StoredStep;
    readonly programs: readonly StoredProgram[];
    readonly rollouts: readonly RolloutDocument[];
  }>;
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
    run: {
      ...source!,
      _id: LARGE,
      run: LARGE,
      committedStep: count,
      lineage: [{ step: 0, generation: source!.generation, run: LARGE }],
      totals: { ...source!.totals, programs: count * perStep },
      best: source!.best && { ...source!.best, program: renamed(source!.best.program, 0) },
    },
    steps: (function* () {
      for (let step = 0; step <= count; step += 1) {
        const from = step === 0 ? 0 : 1 + ((step - 1) % last);
        const shift = step - from;
        const marker = steps[from]!;
        const at = new Date(marker.at.getTime() + shift * 3_000);
        yield {
          step: {
            ...marker,
            _id: markerId(LARGE, step, marker.generation),
            run: LARGE,
            step,
            at,
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
          })),
          rollouts: (rolloutsOf.get(from) ?? []).map((rollout) => ({
            ...rollout,
            _id: renamed(rollout._id, shift),
            run: LARGE,
            step,
          })),
        };
      }
    })(),
  };
};
