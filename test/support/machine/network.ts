// The network between workers and a server: a proxy that is slow, narrow or cut when it is told to, and one that knows
// so much of MongoDB's protocol that it takes no writes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandIn, replyTo } from './played-database.ts';

export type Network = {
  readonly port: number;
  /** Every piece of data comes so late, and no more than so much of it a second in each direction. */
  slow(how: { readonly latencyMs: number; readonly bytesPerSecond: number } | null): void;
  /** Cuts every connection; new ones are cut as soon as they are there, until `mend`. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
};

/** What is answered in place of the server to a whole message of the client's; null: the message goes on. */
export type Answer = (message: Buffer) => Buffer | null;

export const networkTo = async (target: number, answer: Answer | null = null): Promise<Network> => {
  const sockets = new Set<Socket>();
  let slowness: Parameters<Network['slow']>[0] = null;
  let isCut = false;

  /** Sends in order, each piece when those before it are through. */
  const carrier = (to: Socket) => {
    let last: Promise<unknown> = Promise.resolve();
    return (data: Buffer): void => {
      const atMs = performance.now();
      last = last.then(async () => {
        if (slowness !== null) {
          const { latencyMs, bytesPerSecond } = slowness;
          await sleep(Math.max(0, latencyMs - (performance.now() - atMs)) + (1000 * data.length) / bytesPerSecond);
        }
        if (!to.destroyed) to.write(data);
      });
    };
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const behind = connect(target, '127.0.0.1');
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        behind.destroy();
      });
    }
    const [there, back] = [carrier(behind), carrier(client)];
    behind.on('data', back);
    client.on('data', answer === null ? there : answering(answer, there, back));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    slow: (how) => {
      slowness = how;
    },
    cut,
    mend: () => {
      isCut = false;
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};

const answering = (answer: Answer, there: (data: Buffer) => void, back: (data: Buffer) => void) => {
  let waiting = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
      const message = waiting.subarray(0, waiting.readInt32LE(0));
      waiting = waiting.subarray(message.length);
      const own = answer(message);
      if (own === null) there(message);
      else back(own);
    }
  };
};

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'create']);

export const isWrite = (command: string): boolean => WRITES.has(command);

/** What a server that is no primary any more says to a write; reads go on. `refuses` is asked at each message. */
export const refusingWrites =
  (refuses: () => boolean): Answer =>
  (message) =>
    refuses() && isWrite(commandIn(message) ?? '')
      ? replyTo(message, { ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' })
      : null;
