// Code and metrics of programs, as prompts show them. Called by the styles.
import type { ShownProgram } from '../../evolution/prompts/shown-program.ts';
import type { ProgramId } from '../../evolution/types.ts';
import type { ProgramDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export type Shown = ShownProgram & { readonly program: ProgramDocument };

export const showPrograms = async (store: Store, all: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, Shown>> => {
  const programs = await store.getPrograms([...new Set(all)]);
  const texts = await store.getTexts([...programs.values()].flatMap((program) => (program.code === null ? [] : [program.code])));
  const evaluations = await store.getEvaluations([...programs.values()].flatMap((program) => (program.evaluation === null ? [] : [program.evaluation])));
  return new Map([...programs].map(([id, program]) => {
    const evaluation = program.evaluation === null ? undefined : evaluations.get(program.evaluation);
    return [id, {
      program, code: program.code === null ? '' : texts.get(program.code) ?? '',
      outcome: program.outcome, score: program.score,
      metrics: { ...evaluation?.metrics, ...(evaluation ? { runtime_s: Number((evaluation.wallMs / 1000).toFixed(3)) } : {}) },
    }];
  }));
};

/** Everything that the groups show: parents, prior programs, context. */
export const shownIn = (plans: readonly { readonly parent: ProgramId; readonly priorPrograms: readonly ProgramId[]; readonly context?: readonly { readonly id: ProgramId }[] }[]): readonly ProgramId[] =>
  plans.flatMap(({ parent, priorPrograms, context = [] }) => [parent, ...priorPrograms, ...context.map(({ id }) => id)]);

/** Lines of these programs that came back after an ancestor had deleted them. */
export const returnedLines = async (store: Store, ids: readonly ProgramId[]): Promise<ReadonlyMap<ProgramId, readonly string[]>> =>
  new Map([...await store.getDeltas([...new Set(ids)])].map(([id, { lines }]) => [id, lines?.returned ?? []]));
