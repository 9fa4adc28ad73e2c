// A request that is not as it should be: refused with one sentence.
export class Refusal extends Error {
  readonly status: 400 | 401 | 403 | 405 | 413 | 429;

  constructor(message: string, status: Refusal['status'] = 400) {
    super(message);
    this.status = status;
  }
}

export const refuse = (message: string, status?: Refusal['status']): never => {
  throw new Refusal(message, status);
};

/** A part of an address that is a whole number. */
export const wholeNumber = (text: string, what: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : refuse(`expected ${what} as a whole number, got ${text.slice(0, 100)}`);
