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

const isQuery = (message: Buffer): boolean => message.readInt32LE(12) === OP_QUERY;

/** The name of the command that a client's message holds; null where it is something else. */
export const commandIn = (message: Buffer): string | null => {
  const query = isQuery(message);
  if (!query && (message.readInt32LE(12) !== OP_MSG || message.readUInt8(20) !== 0)) return null;
  // The first words of a driver come as a query: flags, the collection's name, two numbers, the document.
  const document = query ? message.indexOf(0, 20) + 9 : 21;
  // Its first key, behind its size and the type of the value.
  const name = message.toString('utf8', document + 5, message.indexOf(0, document + 5));
  return name === 'ismaster' || name === 'isMaster' ? 'hello' : name;
};

/** The answer to a client's message. */
export const replyTo = (message: Buffer, answer: object): Buffer => {
  const [request, query, body] = [message.readInt32LE(4), isQuery(message), BSON.serialize(answer)];
  // A reply to a query has flags, a cursor, where it begins and how many documents there are.
  const before = query ? Buffer.alloc(20) : Buffer.alloc(5);
  if (query) before.writeInt32LE(1, 16);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + before.length + body.length, 0);
  header.writeInt32LE(request, 8);
  header.writeInt32LE(query ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, body]);
};

const answerTo = (message: Buffer, answers: Answers): Buffer => {
  const name = commandIn(message) ?? '';
  return replyTo(
    message,
    answers[name] ?? { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `no such command: ${name}` },
  );
};
