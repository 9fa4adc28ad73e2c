// What the workflow of a run says of itself, for tests of those who read it.
import type { RunProgress } from '../../workflows/messages/messages.ts';

export const liveWord = (word: Pick<RunProgress, 'status' | 'step'> & Partial<RunProgress>): RunProgress => ({
  ...{ workflow: word.step, attention: null, parked: null, paused: false, stopping: false, opening: false },
  ...{ refusal: null, refusals: [], policy: null, update: null },
  ...word,
});
