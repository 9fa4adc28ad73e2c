// A run at a glance: what it found, what it cost, what is to be done.
import type { RunReport } from '../../data/runs.ts';
import { Figure, When } from '../parts.tsx';
import { useAnswer } from '../state.ts';
import { count, duration, score, usd } from '../text.ts';
import type { RunViewProps } from '../views.ts';

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
