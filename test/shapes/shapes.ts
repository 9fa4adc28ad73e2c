// The shapes of answers and refusals that endpoints document, or that users of public systems reported: a row a line in
// shapes.jsonl. Each is played whole and streamed (play.ts); docs/shapes.md holds the table that is made of them.
import { readFileSync } from 'node:fs';

/** What becomes of the request. `again` is asked again by itself; `parked` waits for a person. */
export type Outcome =
  | 'whole'
  | 'cut'
  | 'refused'
  | 'called a tool'
  | 'only reasoning'
  | 'no choice'
  | 'again, booked'
  | 'again, free'
  | 'parked';

/** An answer of HTTP: a message that ends for a reason, or a status with a body. */
export type Given =
  | {
      readonly message: Readonly<Record<string, unknown>>;
      readonly finish?: string | null;
      /** In events alone: what follows the last one of the choice. */
      readonly last?: 'nothing' | 'silence' | 'error';
      /** A completion of text has no message. */
      readonly bare?: true;
    }
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The data of each event of a stream. */
  | { readonly events: readonly unknown[] }
  | { readonly raw: string };

export type Shape = {
  readonly name: string;
  /** An address, or a repository with the number of its thread; `tried here` where no public report is known. */
  readonly source: string;
  readonly given: Given;
  /** From then on the endpoint answers with TEXT: without a setting or role, or where so few tokens are asked for. */
  readonly until?: { readonly without: string } | { readonly tokens: number };
  readonly outcome: Outcome;
  /** A pattern of the reason. */
  readonly says?: string;
  /** Only one of the two forms has it. */
  readonly form?: 'whole' | 'stream';
  /** It is sent to /v1/embeddings. */
  readonly ofEmbeddings?: true;
};

export type Body = Readonly<Record<string, any>>;

export const isFine = (body: Body, until: Shape['until']): boolean =>
  until === undefined
    ? false
    : 'tokens' in until
      ? body['max_tokens'] <= until.tokens
      : !(until.without in body) && !(body['messages'] as Body[]).some(({ role }) => role === until.without);

/** The text of every answer that counts. */
export const TEXT = 'the answer with `code`\n';

/** The vectors of the three texts of which embeddings are asked for. */
export const VECTORS = ['1 0', '0 1', '-1 0'];

export const SHAPES: readonly Shape[] = readFileSync(new URL('shapes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Shape);
