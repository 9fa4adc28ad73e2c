// The programs behind a step: a rewind sets them aside, and a fork does not take them with it.
import { useEffect, useState } from 'preact/hooks';
import type { AfterStep } from '../../api/actions/forms.ts';
import { useAnswer } from '../base/state.ts';
import { count, shown, usd } from '../base/text.ts';

/** Somebody who types a number is not asked about for each digit. */
const PAUSE_MS = 300;

export const AfterStepWords = ({
  run,
  step,
  way,
}: {
  readonly run: string;
  readonly step: number;
  readonly way: 'rewind' | 'fork';
}) => {
  const [typed, setTyped] = useState(step);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(step), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [step]);
  const { value, error } = useAnswer<AfterStep>(`runs/${encodeURIComponent(run)}/after/${typed}`);
  if (error !== null)
    return (
      <p class="warned" role="alert">
        {shown(error.message)}
      </p>
    );
  if (value === null || value.step !== step) return <p class="busy">Counting what lies behind step {step} …</p>;
  const { steps, programs, tokens, costUsd } = value;
  const behind = `${count(steps)} ${steps === 1 ? 'step' : 'steps'} with ${count(programs)} programs, ${count(tokens)} tokens and ${usd(costUsd)}`;
  return (
    <p class={way === 'rewind' ? 'warned' : 'soft'}>
      {way === 'rewind'
        ? `This sets aside ${behind}.`
        : steps === 0
          ? 'The new run has everything that was committed so far.'
          : `The new run is without ${behind}, which come after this step.`}
    </p>
  );
};
