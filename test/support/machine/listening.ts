// A server of a test on a free port of this machine, until the test has finished.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Its address. */
export const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((go) => void server.listen(0, '127.0.0.1', go));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
