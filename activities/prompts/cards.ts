// Programs as cards: metrics, exit code, code, the end of the error output. Called by the style `conversation` and by the stage `meta`.
import type { Telling } from '../../evolution/prompts/metrics-line.ts';
import { errorOf, programCard } from '../../evolution/prompts/program-card.ts';
import type { Task } from '../../evolution/task.ts';
import type { ProgramId } from '../../evolution/types.ts';
import type { Store } from '../store/store.ts';
import { showPrograms } from './shown-programs.ts';

export const cardsOf = async (store: Store, task: Task, ids: readonly ProgramId[], { scores, feedback }: Telling): Promise<ReadonlyMap<ProgramId, string>> => {
  const shown = await showPrograms(store, ids);
  const evaluations = await store.getEvaluations([...new Set([...shown.values()].flatMap(({ program }) => program.evaluation ?? []))]);
  return new Map([...shown].map(([id, { program, ...rest }]) => {
    const evaluation = program.evaluation === null ? undefined : evaluations.get(program.evaluation);
    const error = errorOf({ reasons: program.reasons, stderrTail: evaluation?.stderrTail ?? '' });
    return [id, rest.code === '' || program.outcome === 'no_change' || program.outcome === 'duplicate'
      ? `The answer gave no new program (${program.outcome})${feedback === 'full' ? `: ${error}` : '.'}`
      : programCard(task, { ...rest, exitCode: evaluation?.exitCode ?? null, error, edits: program.edits }, { scores, feedback })];
  }));
};
