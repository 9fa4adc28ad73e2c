// Messages that changed nothing: misspelt names, wrong bodies, messages that make no sense at the moment. A
// signal has no other answer, so people read it in the current details and in the workflow's own word.
import { condition, setDefaultSignalHandler } from '@temporalio/workflow';
import { didYouMean } from '../../evolution/config/nearest.ts';
import type { Refusal } from '../../evolution/run-states.ts';
import { cut } from '../engine/telling.ts';

const KEPT = 3;
const KEPT_MS = 3_600_000;
const LONGEST = 900;
const LONGEST_NAME = 60;

export class Notes {
  #refusals: readonly Refusal[] = [];

  /** Newest first, not older than an hour. What comes again is counted, so that a flood is one line. */
  get refusals(): readonly Refusal[] {
    const oldest = Date.now() - KEPT_MS;
    return this.#refusals.filter(({ at }) => Date.parse(at) > oldest);
  }

  /** The reason of the newest refusal; null where the last message was taken. */
  get latest(): string | null {
    return this.#refusals[0]?.why ?? null;
  }

  refuse(message: string, reason: string): void {
    const at = new Date(Date.now()).toISOString();
    const why = cut(reason, LONGEST);
    const [newest, ...others] = this.#refusals;
    this.#refusals =
      newest?.why === why
        ? [{ ...newest, at, times: newest.times + 1 }, ...others]
        : [{ at, message, why, times: 1 }, ...this.#refusals].slice(0, KEPT);
  }

  /** A message was taken, so what was said of those before it is no longer of use. */
  taken(): void {
    this.#refusals = [];
  }
}

type Known = {
  /** The name of the workflow for people: `run demo`. */
  readonly what: string;
  readonly signals: readonly string[];
  readonly updates: readonly string[];
  /** Signals that workflows send each other. One that comes too late is nothing to tell. */
  readonly internal?: readonly string[];
  /** A hint where other messages go. */
  readonly instead?: string;
};

/**
 * Signals of any other name are told to people, with the nearest name; they change nothing. They wait in the SDK until a
 * default handler takes them. It is set for that moment alone: while one is set, the SDK fails every task in which a
 * signal comes whose name begins as its own do, and so a text from outside would end all work of the workflow.
 */
export const noteUnknownSignals = (
  notes: Notes,
  { what, signals, updates, internal = [], instead }: Known,
  told: () => void,
): void => {
  const note = (name: string): void => {
    if (internal.includes(name)) return;
    const short = cut(name, LONGEST_NAME);
    notes.refuse(
      short,
      updates.includes(name)
        ? `"${short}" is an update, and it was sent as a signal: nothing happened. Send it with Send an Update`
        : `${what} has no signal "${short}": nothing happened.${didYouMean(name, [...signals, ...updates])} Signals are ${signals.join(', ')}${instead === undefined ? '' : `. ${instead}`}`,
    );
    told();
  };
  const takeAll = (): boolean => {
    for (;;)
      try {
        setDefaultSignalHandler(note);
        return false;
      } catch {
        note('a name of the SDK itself');
      } finally {
        setDefaultSignalHandler(undefined);
      }
  };
  // A condition is looked at after each message, and this one never holds.
  void condition(takeAll).catch(() => undefined);
};
