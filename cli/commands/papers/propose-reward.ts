// evolve propose-reward: bounds and exponent of the shaped reward for a task, from the scores of a run.
import { taskLoader, taskRef } from '../../../activities/task/kept-task.ts';
import { BadEndError } from '../../../client/connect/errors.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { programsOf } from '../../../client/read/views.ts';
import { asFit } from '../../../evolution/scoring/ranking.ts';
import { proposeReward } from '../../../evolution/scoring/reward.ts';
import { taskName } from '../../../evolution/task/task.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onStoredRun } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command.argument(...RUN_ARGUMENT).action(
    onStoredRun(async (context, _, document, store) => {
      const { run, config } = document;
      const { direction, scoreName } = await taskLoader(store)(taskRef(document));
      const scores: number[] = [];
      for await (const { fit } of programsOf(store, run, { outcome: 'valid' }))
        if (fit !== undefined) scores.push(asFit(fit, direction));
      const proposal = proposeReward(scores, direction);
      if (proposal === null)
        throw new BadEndError(
          `run ${run} has ${scores.length} valid programs: expected at least two different scores to draw an interval from`,
        );
      const { lower, upper, alpha, k, atZero, atFull, why } = proposal;
      const ended = hasEnded(document);
      answer(context, { run, task: taskName(config.task), ended, ...proposal }, () => [
        ...(ended ? [] : ['note: the run has not ended yet; later scores may move the interval']),
        `L ${lower}, U ${upper}, alpha ${alpha}, k ${k} (${scoreName}, ${direction === 'maximise' ? 'higher' : 'lower'} is better): ${percent(atZero)} of the scores get 0, ${percent(atFull)} get ${k}`,
        `how: ${why}`,
        `use: --set reward.kind=shaped --set reward.lower=${lower} --set reward.upper=${upper} --set reward.alpha=${alpha} --set reward.k=${k}`,
      ]);
    }),
  );

const percent = (share: number): string => `${Math.round(share * 100)} %`;
