// How much of what a process does at once is free and taken, looked up when somebody asks for its metrics. The SDK tells
// free slots only of workers with a fixed number of them, and those of evaluations and of models have none.
import type { Permits } from '../../activities/sandbox/host/permits.ts';
import { gaugeAt } from '../../activities/telemetry/metrics.ts';

export const placeGauges =
  (of: 'cores' | 'requests', all: number, standing: Permits['standing']): (() => Promise<void>) =>
  async () => {
    const { free, waiting } = standing();
    gaugeAt('places', { of, state: 'free' }, free);
    gaugeAt('places', { of, state: 'taken' }, all - free);
    gaugeAt('places', { of, state: 'waited for' }, waiting);
  };
