// A request to a model in the metrics and the traces of its worker.
import { count, timed } from './metrics.ts';
import { type Attributes, spanned } from './spans.ts';

type Request = { readonly model: string; readonly stage: string; readonly answer: string };

/** The names are those of OpenTelemetry's conventions for generative models, where there is one. */
const attributesOf = ({ model, stage, answer }: Request): Attributes => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': model,
  'evolve.stage': stage,
  'evolve.answer': answer,
});

/** `model` is the name in the run's settings. An endpoint that answers 429 has refused the request. */
export const watchedRequest = async <T>(of: Request, ask: () => Promise<T>): Promise<T> => {
  const { model } = of;
  try {
    const answer = await spanned(`chat ${model}`, attributesOf(of), () => timed('requestSeconds', { model }, ask));
    count('requests', { model, outcome: 'answered' });
    return answer;
  } catch (error) {
    const refused = error instanceof Error && 'status' in error && error.status === 429;
    count('requests', { model, outcome: refused ? 'refused' : 'failed' });
    throw error;
  }
};
