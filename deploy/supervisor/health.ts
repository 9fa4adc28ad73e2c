// Asks whether a server is there and speaks its protocol. It uses Node built-ins alone, so that the supervisor stays
// small.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { ProcessRef } from '../host/process-identity.ts';

export type Health =
  | { readonly kind: 'temporal' | 'mongo'; readonly port: number }
  /** Something takes connections there; without `host`, on this machine. */
  | { readonly kind: 'tcp'; readonly host?: string; readonly port: number }
  | { readonly kind: 'http'; readonly url: string }
  /** The process's log has a line `ready: ... (pid N)`. */
  | { readonly kind: 'ready-line' };

/**
 * `well`: the server answers that it is ready. `ill`: it answers something else. `slow`: it takes connections and has
 * not answered in time, because the machine is busy or the server hangs. `away`: nothing takes connections.
 */
type Answer = 'well' | 'ill' | 'slow' | 'away';

/** Is generous: a server that is away says so at once, and one that is there may be waiting for a processor. */
const PROBE_TIMEOUT_MS = 10_000;

/** Asks Temporal's frontend gRPC's standard question about its health. */
const temporalServes = (port: number, patienceMs: number): Promise<Answer> =>
  new Promise((resolve) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const timer = setTimeout(() => end('slow'), patienceMs);
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    session.on('error', () => end('away'));
    const service = Buffer.from('temporal.api.workflowservice.v1.WorkflowService');
    const message = Buffer.concat([Buffer.from([0x0a, service.length]), service]);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let answer = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
    });
    stream.on('error', () => end('away'));
    // A frame head of 5 bytes, then field 1 (status) = 1 (SERVING).
    stream.on('end', () => end(answer.length >= 7 && answer[5] === 0x08 && answer[6] === 1 ? 'well' : 'ill'));
    stream.end(Buffer.concat([frame, message]));
  });

/** { hello: 1, $db: 'admin' } as an OP_MSG. */
const helloMessage = (): Buffer => {
  const body = Buffer.from('\x10hello\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0', 'latin1');
  const message = Buffer.alloc(16 + 4 + 1 + 4 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(2013, 12);
  message.writeInt32LE(body.length + 4, 21);
  body.copy(message, 25);
  return message;
};

type Port = { readonly host?: string; readonly port: number };

/** `answered` returns null when more is to come. */
const exchange = (
  { host = '127.0.0.1', port }: Port,
  question: Buffer | null,
  answered: (answer: Buffer) => Answer | null,
  patienceMs: number,
): Promise<Answer> =>
  new Promise((resolve) => {
    const socket = connect({ port, host });
    const timer = setTimeout(() => end('slow'), patienceMs);
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on('error', () => end('away'));
    socket.on('close', () => end('away'));
    let answer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const word = answered(answer);
      if (word !== null) end(word);
    });
    socket.on('connect', () => {
      if (question) socket.write(question);
      else end('well');
    });
  });

const mongoAnswers = (port: number, patienceMs: number): Promise<Answer> =>
  exchange(
    { port },
    helloMessage(),
    (answer) =>
      answer.length < 16 || answer.length < answer.readInt32LE(0)
        ? null
        : answer.includes('isWritablePrimary\0\x01')
          ? 'well'
          : 'ill',
    patienceMs,
  );

const httpAnswers = (url: string, patienceMs: number): Promise<Answer> =>
  fetch(url, { signal: AbortSignal.timeout(patienceMs) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok ? 'well' : 'ill';
    },
    (error: unknown) => (error instanceof Error && error.name === 'TimeoutError' ? 'slow' : 'away'),
  );

const TAIL_BYTES = 256 * 1024;
export const tailOf = (file: string, bytes = TAIL_BYTES): string => {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const size = fstatSync(descriptor).size;
      const buffer = Buffer.alloc(Math.min(size, bytes));
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
};

const readyLineOf = ({ pid, log }: Watched): string | undefined =>
  tailOf(log)
    .split('\n')
    .findLast((line) => line.includes('ready:') && line.includes(`(pid ${pid})`));

/** The port of the address in the ready line of a process; null where it names none. */
export const reportedPort = (process: Watched): number | null =>
  Number(/\bhttps?:\/\/\S+:(\d+)/.exec(readyLineOf(process) ?? '')?.[1] ?? 0) || null;

type Watched = { readonly pid: number; readonly log: string };

export const probe = async (health: Health, process: Watched, patienceMs = PROBE_TIMEOUT_MS): Promise<Answer> => {
  switch (health.kind) {
    case 'temporal':
      return temporalServes(health.port, patienceMs);
    case 'mongo':
      return mongoAnswers(health.port, patienceMs);
    case 'tcp':
      return exchange(health, null, () => null, patienceMs);
    case 'http':
      return httpAnswers(health.url, patienceMs);
    case 'ready-line':
      return readyLineOf(process) === undefined ? 'ill' : 'well';
  }
};

export const isHealthy = async (health: Health, process: Watched): Promise<boolean> =>
  (await probe(health, process)) === 'well';

/** The line that a worker logs when it must not start. Pids are used again, identities are not. */
export const refusalLine = ({ pid, identity }: ProcessRef, why: string): string =>
  `refused (pid ${pid}, ${identity}): ${why}`;

/** The message of a line of a log, be it text or JSON. */
const messageOf = (line: string): string => {
  if (!line.startsWith('{')) return line;
  try {
    return String((JSON.parse(line) as { message?: unknown }).message);
  } catch {
    return line;
  }
};

/** The reason that this process gave for not starting; null where it gave none. */
export const refusalOf = (log: string, process: ProcessRef): string | null => {
  const start = refusalLine(process, '');
  return (
    tailOf(log)
      .split('\n')
      .map(messageOf)
      .findLast((line) => line.startsWith(start))
      ?.slice(start.length) ?? null
  );
};
