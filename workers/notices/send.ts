// Sends a notice: to an address, signed as Standard Webhooks asks for (standardwebhooks.com), or to a program that gets it
// as JSON on its standard input.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Notice } from '../../activities/store/documents/installation-documents.ts';
import type { Destination, Webhook } from '../../deploy/host/notify.ts';

const WEBHOOK_TIMEOUT_MS = 10_000;
const COMMAND_TIMEOUT_MS = 30_000;
const MOST_OUTPUT = 300;
const LAST_WORDS_MS = 1_000;

/** The headers of a request. `Idempotency-Key` is the same for each attempt, as `webhook-id` is. */
export const webhookHeaders = (
  id: string,
  body: string,
  secret: Webhook['secret'],
  seconds: number,
): Readonly<Record<string, string>> => ({
  ...{ 'content-type': 'application/json', 'user-agent': 'durable-evolve', 'idempotency-key': id },
  ...{ 'webhook-id': id, 'webhook-timestamp': String(seconds) },
  ...(secret === null
    ? {}
    : {
        'webhook-signature': `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`,
      }),
});

const post = async ({ url, secret }: Webhook, notice: Notice): Promise<void> => {
  const body = JSON.stringify(notice);
  let status: number;
  try {
    const answer = await fetch(url, {
      ...{ method: 'POST', body, redirect: 'manual' },
      headers: webhookHeaders(notice.id, body, secret, Math.floor(Date.now() / 1000)),
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    });
    ({ status } = answer);
    await answer.body?.cancel();
  } catch (error) {
    const { cause, message } = error as Error;
    // The address is not repeated, for it may be a secret.
    throw new Error(`no answer (${(cause as { readonly code?: string } | undefined)?.code ?? message})`, {
      cause: null,
    });
  }
  if (status < 200 || status > 299) throw new Error(`expected an answer from 200 to 299, got ${status}`);
};

/** The program gets nothing of the worker's environment, which holds keys. */
const environment = (id: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(['PATH', 'HOME', 'LANG', 'TZ'].map((name) => [name, process.env[name]])),
  EVOLVE_NOTICE: id,
});

const start = ([program, ...args]: readonly [string, ...string[]], notice: Notice): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...{ stdio: ['pipe', 'ignore', 'pipe'], detached: true, cwd: '/', env: environment(notice.id) },
    });
    let output = '';
    let late = false;
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, COMMAND_TIMEOUT_MS);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`the program cannot be started (${error.code ?? 'unknown reason'})`));
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString('utf8')}`.slice(-MOST_OUTPUT);
    });
    child.once('exit', () => {
      clearTimeout(timer);
      // Processes that it left in the background may go on, and hold its pipe open.
      setTimeout(() => child.stderr!.destroy(), LAST_WORDS_MS).unref();
    });
    // Comes when its last words are read.
    child.once('close', (code, signal) => {
      if (code === 0 && !late) resolve();
      else
        reject(
          new Error(
            late
              ? `the program was ended after ${COMMAND_TIMEOUT_MS / 1000} s`
              : `the program ended with ${code === null ? `signal ${signal}` : `code ${code}`}${output.trim() === '' ? '' : `: ${output.trim()}`}`,
          ),
        );
    });
    // A program that does not read is no fault of the notice.
    child.stdin!.on('error', () => undefined);
    child.stdin!.end(`${JSON.stringify(notice)}\n`);
  });

/** Throws an error, without the address or the secret, where the destination has not taken it. */
export const send = (to: Destination, notice: Notice): Promise<void> =>
  to.kind === 'webhook' ? post(to, notice) : start(to.command, notice);
