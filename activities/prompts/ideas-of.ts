// The ideas that programs carry out, and their results, as the prompts of `research` show them. Called by the style `proposal` and by the stage
// that asks for ideas.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { initialIdea } from '../../evolution/ideas/initial-idea.ts';
import { metricsOf, type Metrics } from '../../evolution/ideas/metrics-text.ts';
import { maskOf } from '../../evolution/prompts/masking.ts';
import type { ShownProgram } from '../../evolution/prompts/shown-program.ts';
import type { Task } from '../../evolution/task.ts';
import type { ProgramId, RunId } from '../../evolution/types.ts';
import type { Store } from '../store/store.ts';
import type { Shown } from './shown-programs.ts';

export type IdeasOf = { readonly store: Store; readonly task: Task; readonly config: RunConfig; readonly run: RunId; readonly shown: readonly Shown[] };

/** By program. One without an idea of its own (an injected one, one made without ideation) has the initial idea, as the initial program has. */
export const ideasOf = async ({ store, task, config, run, shown }: IdeasOf): Promise<ReadonlyMap<ProgramId, string>> => {
  // What of the initial one may stand in a prompt can change during a run: it is told anew.
  const programs = shown.map(({ program: { _id, bornSeq, idea } }) => ({ _id, idea: bornSeq === 0 ? undefined : idea }));
  const texts = await store.getTexts(programs.flatMap(({ idea }) => idea?.text ?? []));
  const initial = programs.every(({ idea }) => idea !== undefined) ? '' : initialIdea({
    task, baseline: await baselineOf(store, run), digits: config.ideation.digits, masked: config.prompt.scores === 'masked',
  });
  const { prose } = maskOf(shown, config.prompt.scores);
  return new Map(programs.map(({ _id, idea }) => [_id, idea === undefined ? initial : prose(texts.get(idea.text) ?? '')]));
};

/** Score of the run's initial program; a fork's is its parent's. */
const baselineOf = async (store: Store, run: RunId): Promise<number | null> => {
  for await (const { score } of store.eachProgram(run, { fromStep: 0 })) return score;
  return null;
};

/** What may be said of a result. */
export const shownMetrics = (shown: ShownProgram, { scoreName }: Task, { prompt: { scores, feedback } }: RunConfig): Metrics => {
  if (feedback === 'none') return {};
  return scores === 'masked' || feedback === 'label-only' ? { valid: shown.outcome === 'valid' } : metricsOf(shown, scoreName);
};
