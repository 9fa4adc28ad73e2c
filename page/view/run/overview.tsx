// A run at a glance: what it found, what made it better, what it cost, what is left, what is to be done.
import type { AtAGlance } from '../../api/run/overview.ts';
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
  // One answer, so that all figures and plots are of the same committed step.
  const answer = useAnswer<AtAGlance>(`runs/${encodeURIComponent(run)}/overview`, run);
  // Nothing is drawn before everything is there: later parts would push the others down.
  if (answer.value === null && answer.error === null)
    return (
      <p class="busy reserved" role="status">
        Reading the steps of the run and what they cost …
      </p>
    );
  return (
    <When answer={answer} what="the run">
      {({ report, glance, steps }) => (
        <div class="overview">
          <NextStep glance={glance} />
          <Headline report={report} glance={glance} steps={steps} />
          <Best run={run} steps={steps} glance={glance} />
          <Bests run={run} steps={steps} glance={glance} />
          <Budget steps={steps} glance={glance} state={report.state} />
          <Throughput steps={steps} />
          <Outcomes run={run} steps={steps} report={report} />
          <LatestEvents run={run} steps={steps} atMs={glance.atMs} />
          <Islands run={run} atMs={glance.atMs} migrations={steps.points.at(-1)?.migrations ?? 0} />
        </div>
      )}
    </When>
  );
};
