// The process of the page: `evolve ui`, `evolve worker page` and the supervisor start it. Nothing else depends on it.
import type { AddressInfo } from 'node:net';
import { databaseIn } from '../../client/connect/elsewhere.ts';
import { registerOutsideLevels } from '../../deploy/host/outside-levels.ts';
import { packageVersion, resolveHome } from '../../deploy/host/home.ts';
import { DEFAULT_PORTS } from '../../deploy/parts/ports.ts';
import { createApp } from './app.ts';
import { type Listening, listeningOf } from './access/options.ts';
import { pageFiles } from '../bundle.ts';
import { serverOf } from './serve.ts';
import { pageFolder } from './rows/row-files.ts';
import { openSite } from './site/site.ts';

const refused = (error: Error): never => {
  console.error(error.message);
  process.exit(2);
};
const listening = ((): Listening => {
  try {
    return listeningOf(process.env);
  } catch (error) {
    return refused(error as Error);
  }
})();

registerOutsideLevels(process.env);
const home = resolveHome(process.env);
const env = { ...process.env, ...databaseIn(process.env) };
const site = openSite({ home, env }, { version: packageVersion(), readOnly: listening.readOnly });
const app = createApp(site, pageFiles(pageFolder(home)), listening);
const { host, port, token } = listening;

const tell = ({ port: taken }: AddressInfo): void => {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
  const words = `ready: the page on ${url}${token === null ? '' : ' (with #token=<token> behind it)'} (pid ${process.pid})`;
  console.log(process.env['EVOLVE_PAGE_JSON'] === '1' ? JSON.stringify({ url, pid: process.pid }) : words);
};
const server = serverOf(app);
server.on('listening', () => tell(server.address() as AddressInfo));
const first = Number(process.env['EVOLVE_PAGE_FIRST_PORT']) || DEFAULT_PORTS.page;
server.listen(port ?? first, host);
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') refused(error);
  if (port !== null)
    refused(
      new Error(`--port: expected a free port on ${host}, but ${port} is taken: choose another, or 0 for a free one`),
    );
  server.listen(0, host);
});
// The values of the papers are read ahead for the newest runs, so that the first visitor need not wait for them.
const MOST_READY = 100;
const ready = async (): Promise<void> => {
  const runs = await (await site.store()).listRuns();
  await Promise.all(runs.slice(0, MOST_READY).map(site.known));
};
ready().catch((error: unknown) =>
  console.error(`the newest runs could not be read ahead: ${(error as Error).message}`),
);
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    server.close();
    server.closeAllConnections();
    void site.close().finally(() => process.exit(0));
  });
