// The server's side of a WebSocket on a socket that node:http handed over: as much of RFC 6455 as one needs to play
// the API of a cluster. Nothing is compressed and no message is cut into frames.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [BINARY, CLOSE, PING, PONG] = [2, 8, 9, 10];

export type ServerSocket = { send(bytes: Buffer): void; close(): void };

const frame = (opcode: number, payload: Buffer): Buffer => {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
};

export const acceptWebSocket = (
  request: IncomingMessage,
  socket: Duplex,
  options: { readonly protocol: string; readonly onMessage: (message: Buffer) => void; readonly onClose: () => void },
): ServerSocket => {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: ${options.protocol}\r\n\r\n`,
  );
  let held = Buffer.alloc(0);
  let closed = false;
  const write = (opcode: number, payload: Buffer): void => {
    if (!closed) socket.write(frame(opcode, payload));
  };
  const close = (): void => {
    if (closed) return;
    write(CLOSE!, Buffer.from([0x03, 0xe8]));
    closed = true;
    socket.end();
  };
  const on = (opcode: number, payload: Buffer): void => {
    if (opcode === BINARY) options.onMessage(payload);
    else if (opcode === PING) write(PONG!, payload);
    else if (opcode === CLOSE) close();
  };
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      if (held.length < 2) return;
      const short = held[1]! & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (held.length < head + 4) return;
      const length = short < 126 ? short : short === 126 ? held.readUInt16BE(2) : Number(held.readBigUInt64BE(2));
      if (held.length < head + 4 + length) return;
      const mask = held.subarray(head, head + 4);
      const payload = Buffer.from(held.subarray(head + 4, head + 4 + length));
      for (let at = 0; at < length; at += 1) payload[at]! ^= mask[at % 4]!;
      on(held[0]! & 0x0f, payload);
      held = held.subarray(head + 4 + length);
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    closed = true;
    options.onClose();
  });
  return { send: (bytes) => write(BINARY!, bytes), close };
};
