// Activity `evaluateHidden`: runs a program that is stored already on the hidden instances of its task, once, and stores what came of it.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { holdoutKey } from '../evolution/holdout.ts';
import { infrastructure, putEvaluated, type EvaluateDeps } from './evaluate.ts';
import type { EvaluationActivities, OnHidden } from './interface.ts';
import { missing } from './step-summary.ts';

export const createEvaluateHidden = ({ store, evaluatorFor }: EvaluateDeps): Pick<EvaluationActivities, 'evaluateHidden'> => ({
  async evaluateHidden({ run, program }): Promise<OnHidden> {
    const [document, found] = await Promise.all([store.readRun(run), store.getPrograms([program]).then((programs) => programs.get(program))]);
    if (!document) throw missing(`run ${run}`);
    if (!found) throw missing(`program ${program}`);
    // Nothing was evaluated, so nothing can be evaluated again.
    if (found.evaluation === null || found.code === null) throw ApplicationFailure.nonRetryable(`program ${program} has no evaluation`, 'BadRequest');
    const key = holdoutKey(found.evaluation);
    const known = (await store.getEvaluations([key])).get(key);
    if (known) return { program, outcome: known.outcome, score: known.score };
    const { evaluate } = await evaluatorFor(document.config, document.evaluatorDigest);
    const code = (await store.getTexts([found.code])).get(found.code) ?? '';
    const signal = Context.current().cancellationSignal;
    try {
      const evaluation = await evaluate({ key, run, code, seed: document.config.evaluation.seed, acceptSavedOnTimeout: false, holdout: true }, signal);
      await putEvaluated(store, run, [{ key, code: found.code, evaluation }]);
      return { program, outcome: evaluation.outcome, score: evaluation.score };
    } catch (error) {
      signal.throwIfAborted();
      throw infrastructure(error);
    }
  },
});
