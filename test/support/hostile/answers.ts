// What a scenario of the hostile endpoint is, and the answers that several of them give.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What came of a request: an answer, a refusal that stays, a fault that may pass, a person who has to decide. */
export type Outcome = 'answer' | 'refused' | 'unavailable' | 'person';

export type Seen = {
  /** The key that the request brought. */
  readonly key: string;
  readonly body: { readonly n?: number; readonly stream?: boolean };
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** The address of a server of another host, which notes what comes. */
  readonly elsewhere: string;
  /** The path of this request, for redirects. */
  readonly path: string;
};

export type Scenario = {
  /** Whether the client asks for a stream. */
  readonly stream?: boolean;
  readonly n?: number;
  /** The model's time-out where the scenario is one that never ends by itself. */
  readonly timeoutMs?: number;
  readonly outcome: Outcome;
  /** Words of the error. */
  readonly says?: RegExp;
  readonly answer: (seen: Seen) => void | Promise<void>;
};

export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** A completion with one answer, and fields of it replaced. */
export const completion = (fields: object = {}, choice: object = {}): object => ({
  id: 'x',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop', ...choice }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  ...fields,
});

export const events = (response: ServerResponse): ((event: object | string) => boolean) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (event) => response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
};

export const delta = (content: string, finish: string | null = null): object => ({
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

/** Writes until the other side hangs up, as fast as it reads. */
export const endlessly = async (response: ServerResponse, part: string | Buffer): Promise<void> => {
  while (!response.destroyed && !response.socket?.destroyed) {
    if (response.write(part)) await new Promise<void>((turn) => setImmediate(turn));
    else
      await new Promise<void>((go) => {
        const done = (): void => {
          response.off('drain', done).off('close', done);
          go();
        };
        response.on('drain', done).on('close', done);
      });
  }
};
