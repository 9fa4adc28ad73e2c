// evolve codec-server: decrypts payloads for the Temporal UI and the Temporal CLI until it is stopped. It needs neither
// the Temporal server nor the database.
import type { AddressInfo } from 'node:net';
import { act, type Build } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';

type Options = {
  readonly port: string;
  readonly host: string;
  readonly origin: readonly string[];
  readonly tokenFile?: string;
};

const PORT = '8234';
const LOOPBACK = '127.0.0.1';
const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const build: Build = (command) =>
  command
    .option('--port <n>', 'port to listen on; 0 takes a free one', PORT)
    .option('--host <address>', 'address to listen on; one that others reach needs --token-file', LOOPBACK)
    .option('--origin <address>', 'origin of a Temporal UI that may ask (may be repeated)', collect, [])
    .option('--token-file <file>', 'who asks must send what is in this file as a bearer token')
    .action(
      act(async (context, options: Options) => {
        const { openCodecServer } = await import('../../../client/connect/codec-server.ts');
        const server = await openCodecServer(context, options);
        const { address, port } = server.address() as AddressInfo;
        const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
        answer(context, { url }, () => [
          `codec server on ${url} until Ctrl-C; in the Temporal UI: the glasses at the top, "Use my browser setting"`,
        ]);
        await new Promise<void>((done) => {
          for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
        });
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }),
    );
