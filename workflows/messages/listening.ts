// Workflows listen to signals. A signal cannot be refused and must never fail its workflow, whatever its body: one
// that makes no sense is told to people in the current details, and changes nothing.
import { isCancellation, setHandler, type SignalDefinition } from '@temporalio/workflow';
import { rootOf } from '../../evolution/root-cause.ts';

type Listening<Body> = {
  /** Throws where the body makes no sense. */
  readonly check: (body: Body) => void;
  readonly handle: (body: Body) => void | Promise<void>;
  /** Is told why a signal was refused, and null when one was taken, with the signal's name. */
  readonly answer: (refusal: string | null, message: string) => void;
  /** Stands beside the signal in the Temporal UI. */
  readonly description: string;
};

const LONGEST = 900;

export const listenTo = <Body>(
  signal: SignalDefinition<[Body]>,
  { check, handle, answer, description }: Listening<Body>,
): void => {
  const failed = (error: unknown): void => {
    if (isCancellation(error)) return;
    answer(rootOf(error).message.slice(0, LONGEST).toWellFormed(), signal.name);
  };
  setHandler(
    signal,
    (body: Body) => {
      try {
        check(body);
        answer(null, signal.name);
        const work = handle(body);
        return work instanceof Promise ? work.catch(failed) : work;
      } catch (error) {
        failed(error);
      }
    },
    { description },
  );
};
