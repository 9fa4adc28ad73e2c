// Runs the offline model as a process of its own: `node deploy/offline-model/main.ts --port 0`. It prints {"port":N}
// once it listens, and SIGTERM stops it.
import type { AddressInfo } from 'node:net';
import { readFlags } from './options.ts';
import { createOfflineModel } from './server.ts';

try {
  const { host, port, options } = readFlags(process.argv.slice(2));
  const server = createOfflineModel(options);
  server.once('error', (error) =>
    fail(
      `The offline model cannot listen on ${host}:${port}: ${error.message}. Choose another --port, or 0 for any free one.`,
    ),
  );
  server.listen(port, host, () =>
    process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
      process.exit(0);
    });
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
