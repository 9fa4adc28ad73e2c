// A run at a glance: what it found, what made it better, what it cost, what is left, what is to be done.
import type { Glance } from '../../data/glance.ts';
import type { RunReport } from '../../data/runs.ts';
import type { Steps } from '../../data/steps.ts';
import { When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import type { RunViewProps } from '../base/view.ts';
import { LatestEvents } from '../events/events.tsx';
import { Best, Bests } from './best.tsx';
import { Budget, Throughput } from './budget.tsx';
import { Headline, NextStep } from './headline.tsx';
import { Islands } from './islands.tsx';
import { Outcomes } from './outcomes.tsx';

export const Overview = ({ run }: RunViewProps) => {
  const of = `runs/${encodeURIComponent(run)}`;
  const report = useAnswer<RunReport>(`${of}/report`, run);
  const steps = useAnswer<Steps>(`${of}/steps`, run);
  const glance = useAnswer<Glance>(`${of}/glance`, run);
  // What would come in between later, and push the rest down, is waited for.
  const early = [report, steps, glance].some(({ value, error }) => value === null && error === null);
  if (early)
    return (
      <p class="busy reserved" role="status">
        Reading the steps of the run and what they cost …
      </p>
    );
  return (
    <When answer={report} what="the run">
      {(told) => (
        <div class="overview">
          {glance.value === null ? null : <NextStep glance={glance.value} />}
          <Headline report={told} glance={glance.value} steps={steps.value} />
          <When answer={steps} what="the steps">
            {(found) => (
              <>
                <Best run={run} steps={found} glance={glance.value} />
                <Bests run={run} steps={found} glance={glance.value} />
                {glance.value === null ? null : <Budget steps={found} glance={glance.value} state={told.state} />}
                <Throughput steps={found} />
                <Outcomes run={run} steps={found} report={told} />
                <LatestEvents run={run} />
                <Islands run={run} migrations={found.points.at(-1)?.migrations ?? 0} />
              </>
            )}
          </When>
        </div>
      )}
    </When>
  );
};
