// The set-up cannot go on until a person changes something; the message says what. Thrown by all of deploy, printed without a stack by the CLI.
export class SetupError extends Error {
  override readonly name = 'SetupError';
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** One line for the person who waits: the part it is about, and what was chosen and why. */
export type Say = (part: string, message: string) => void;
