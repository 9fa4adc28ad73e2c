// The payload converter of workflows, and of clients that list them. What anybody sends in a form that cannot be read
// (other encodings, broken JSON, encrypted text) becomes a value that says so. With the converter of the SDK it would
// be an error before any handler is called, and that error would fail every task of the workflow for ever.
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/** Stands for content that cannot be read; every check of a message refuses it. */
export class Unreadable {
  readonly unreadable: string;

  constructor(why: string) {
    this.unreadable = why;
  }

  /** So it is no object as JSON has it, and a refusal says what it is. */
  get [Symbol.toStringTag](): string {
    return 'Unreadable';
  }

  toString(): string {
    return `content that cannot be read (${this.unreadable})`;
  }
}

const LONGEST = 40;

const encodingOf = ({ metadata }: Payload): string => {
  const bytes = metadata?.['encoding'];
  const text = bytes === undefined || bytes === null ? '' : String.fromCharCode(...bytes.slice(0, LONGEST));
  return /^[\x20-\x7e]+$/.test(text) ? `encoding ${text}` : 'no known encoding';
};

export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload);
    } catch {
      return new Unreadable(encodingOf(payload)) as T;
    }
  },
};
