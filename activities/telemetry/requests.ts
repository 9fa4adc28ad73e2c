// A request to a model in the metrics and the traces of its worker.
import { count, timed } from './metrics.ts';
import { spanned } from './spans.ts';

/** `model` is the name in the run's settings. An endpoint that answers 429 has refused the request. */
export const watchedRequest = async <T>(
  of: { readonly model: string; readonly stage: string; readonly answer: string },
  ask: () => Promise<T>,
): Promise<T> => {
  const { model } = of;
  try {
    const answer = await spanned('model request', of, () => timed('requestSeconds', { model }, ask));
    count('requests', { model, outcome: 'answered' });
    return answer;
  } catch (error) {
    const refused = error instanceof Error && 'status' in error && error.status === 429;
    count('requests', { model, outcome: refused ? 'refused' : 'failed' });
    throw error;
  }
};
