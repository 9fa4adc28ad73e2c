// At the end of a step, what its activities stored becomes the run's population.
import type { StepRef, StepSummary } from '../../activities/interface/step.ts';
import { urgent } from '../engine/proxies.ts';
import type { Conductor } from '../programs/unit.ts';

/** `next` is the owner of the run, for whom the step after it is opened. */
export const commit = ({ park, plan, ledger, input }: Conductor, ref: StepRef, next?: string): Promise<StepSummary> =>
  park.phase(
    'commit',
    () => {
      const unrepaired = ledger.unrepairedOf(ref.step);
      return urgent.commitStep.executeWithOptions({ summary: `insert, migrate, commit step ${ref.step}` }, [
        {
          ...ref,
          generation: plan.generation,
          // Injected programs are candidates of the step that was planned with them.
          injected: ref.step === input.step ? plan.injected : 0,
          omitted: ledger.omittedOf(ref.step),
          ...(unrepaired.length === 0 ? {} : { unrepaired }),
          ...(next === undefined ? {} : { next }),
        },
      ]);
    },
    ['SupersededError'],
  );
