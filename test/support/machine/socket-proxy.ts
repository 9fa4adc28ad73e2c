// A unix socket in front of another one: closed, with every connection cut, it is an engine that was stopped.
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

export type SocketProxy = {
  readonly path: string;
  /** Cuts every connection; new ones are refused until `open`. */
  close(): Promise<void>;
  open(): Promise<void>;
};

/** Opens the socket at `path`; `target` is the path of the socket behind it. */
export const startSocketProxy = async (path: string, target: string): Promise<SocketProxy> => {
  const sockets = new Set<Socket>();
  // Half-open connections stay as they are: the Docker API ends a program's input that way.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: target, allowHalfOpen: true });
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        engine.destroy();
      });
      socket.on('error', () => undefined);
    }
    client.pipe(engine);
    engine.pipe(client);
  });
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      rmSync(path, { force: true });
      server.once('error', reject).listen(path, resolve);
    });
  await open();
  return {
    path,
    open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
        rmSync(path, { force: true });
      }),
  };
};
