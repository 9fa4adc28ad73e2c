// A server that speaks so much of MongoDB's protocol that the real driver takes it for one: it answers commands by name,
// with documents that the test chooses. It stores nothing.
import { BSON } from 'mongodb';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];

export type Answers = { readonly [command: string]: object };
export type PlayedDatabase = { readonly port: number; stop(): Promise<void> };

/** `answers` may depend on the port, because a member of a replica set says its own address. */
export const playDatabase = async (answers: (port: number) => Answers): Promise<PlayedDatabase> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let waiting = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let size = sizeOf(waiting); size !== null; size = sizeOf(waiting)) {
        socket.write(answerTo(waiting.subarray(0, size), answers(port)));
        waiting = waiting.subarray(size);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const sizeOf = (bytes: Buffer): number | null => {
  const size = bytes.length < 4 ? Infinity : bytes.readInt32LE(0);
  return bytes.length >= size ? size : null;
};

const answerTo = (message: Buffer, answers: Answers): Buffer => {
  const [request, code] = [message.readInt32LE(4), message.readInt32LE(12)];
  // The first words of a driver come as a query: flags, the collection's name, two numbers, the document.
  const query = code === OP_QUERY;
  const begins = query ? message.indexOf(0, 20) + 9 : 21;
  const asked = BSON.deserialize(message.subarray(begins, begins + message.readInt32LE(begins)));
  const [name = ''] = Object.keys(asked);
  const given = answers[name === 'ismaster' || name === 'isMaster' ? 'hello' : name];
  const body = BSON.serialize(
    given ?? { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `no such command: ${name}` },
  );
  // A reply to a query has flags, a cursor, where it begins and how many documents there are.
  const before = query ? Buffer.alloc(20) : Buffer.alloc(5);
  if (query) before.writeInt32LE(1, 16);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + before.length + body.length, 0);
  header.writeInt32LE(request, 8);
  header.writeInt32LE(query ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, body]);
};
