// A message that is sent is not yet obeyed: the worker may be away, and a signal that makes no sense is refused. So
// commands say what a workflow confirms, and no more. The engine answers a query only after it has handed over all
// messages that came before it; one answer is enough.
import { setTimeout as sleep } from 'node:timers/promises';
import { rootOf } from '../../evolution/root-cause.ts';
import type { Engine } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { isNotFound, query } from './workflow.ts';

/** The common part of the words of runs and sweeps. */
export type Word = { readonly paused: boolean; readonly stopping: boolean; readonly refusal: string | null };

/** By message, the test that the workflow took it. */
const TAKEN: { readonly [message: string]: (word: Word) => boolean } = {
  pause: ({ paused }) => paused,
  resume: ({ paused }) => !paused,
  stop: ({ stopping }) => stopping,
  retry: ({ refusal }) => refusal === null,
};

type Sent = {
  readonly workflowId: string;
  /** The workflow's query that tells its word. */
  readonly query: 'status' | 'progress';
  readonly message: keyof typeof TAKEN & string;
  /** The workflow's name for people: `run demo`. */
  readonly what: string;
  /** Commands that help where nothing is confirmed. */
  readonly help: string;
  readonly patienceMs?: number;
};

const PATIENCE_MS = 30_000;
const ANSWER_MS = 10_000;
const AGAIN_MS = 500;

/**
 * Resolves once the workflow has confirmed the message. Throws UsageError where it refused it, and MissingError where
 * no answer came in time: the message is delivered then, and counts when the workflow goes on.
 */
export const confirmed = async (engine: Engine, sent: Sent): Promise<void> => {
  const { workflowId, query: about, message, what, help, patienceMs = PATIENCE_MS } = sent;
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      const left = Math.max(1, Math.min(ANSWER_MS, deadline - Date.now()));
      const word = await query<Word>(engine, workflowId, about, left);
      if (TAKEN[message]?.(word) !== false) return;
      throw new UsageError(
        `${what} refused to ${message}: ${word.refusal?.replace(new RegExp(`^${message}: `), '') ?? 'another message came after it'}`,
      );
    } catch (error) {
      if (error instanceof UsageError) throw error;
      // It has ended meanwhile, and is forgotten already.
      if (isNotFound(error)) return;
      if (Date.now() + AGAIN_MS < deadline) {
        await sleep(AGAIN_MS);
        continue;
      }
      throw new MissingError(
        `the message was delivered, but ${what} has not confirmed that it will ${message} (${reasonOf(error)}): ${help}`,
      );
    }
  }
};

const reasonOf = (error: unknown): string => rootOf(error).message.split('\n')[0]?.slice(0, 200) || 'no answer';

/** The help for a run that does not confirm. */
export const runHelp = (run: string): string =>
  `\`npx evolve doctor ${run}\` says why, \`npx evolve terminate ${run}\` ends it without its help`;
