// Is a server there and does it speak its protocol? Node built-ins alone, so that the supervisor stays small.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

export type Health =
  | { readonly kind: 'temporal' | 'mongo' | 'tcp'; readonly port: number }
  | { readonly kind: 'http'; readonly url: string }
  /** The process's log has a line `ready: ... (pid N)`. */
  | { readonly kind: 'ready-line' };

const PROBE_TIMEOUT_MS = 2_000;

/** gRPC's standard health question about Temporal's frontend. */
const temporalServes = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const timer = setTimeout(() => end(false), PROBE_TIMEOUT_MS);
    const end = (serves: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(serves);
    };
    session.on('error', () => end(false));
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
    stream.on('error', () => end(false));
    // Frame of 5 bytes, then field 1 (status) = 1 (SERVING).
    stream.on('end', () => end(answer.length >= 7 && answer[5] === 0x08 && answer[6] === 1));
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

const exchange = (port: number, question: Buffer | null, answered: (answer: Buffer) => boolean): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (good: boolean): void => {
      socket.destroy();
      resolve(good);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    let answer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      if (answered(answer)) end(true);
    });
    socket.on('connect', () => {
      if (question) socket.write(question);
      else end(true);
    });
  });

const mongoAnswers = (port: number): Promise<boolean> =>
  exchange(
    port,
    helloMessage(),
    (answer) =>
      answer.length >= 16 && answer.length >= answer.readInt32LE(0) && answer.includes('isWritablePrimary\0\x01'),
  );

const httpAnswers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
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

export const isHealthy = async (
  health: Health,
  process: { readonly pid: number; readonly log: string },
): Promise<boolean> => {
  switch (health.kind) {
    case 'temporal':
      return temporalServes(health.port);
    case 'mongo':
      return mongoAnswers(health.port);
    case 'tcp':
      return exchange(health.port, null, () => true);
    case 'http':
      return httpAnswers(health.url);
    case 'ready-line':
      return tailOf(process.log)
        .split('\n')
        .some((line) => line.includes('ready:') && line.includes(`(pid ${process.pid})`));
  }
};
