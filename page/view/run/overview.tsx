// A run at a glance: what it found, what it cost, what is to be done.
import type { RunReport } from '../../data/runs.ts';
import { Figure, When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { count, duration, score, usd } from '../base/text.ts';
import type { RunViewProps } from '../base/view.ts';

export const Overview = ({ run }: RunViewProps) => (
  <When answer={useAnswer<RunReport>(`runs/${encodeURIComponent(run)}/report`, run)}>
    {(report) => (
      <dl class="figures">
        <Figure name="best">{score(report.best?.ranking)}</Figure>
        <Figure name="programs">{count(report.programs)}</Figure>
        <Figure name="steps">{count(report.steps)}</Figure>
        <Figure name="cost">{usd(report.paid.costUsd)}</Figure>
        <Figure name="time">{duration(report.wallSeconds)}</Figure>
      </dl>
    )}
  </When>
);
