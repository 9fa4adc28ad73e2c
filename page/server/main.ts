// The process of the page: `evolve ui`, `evolve worker page` and the supervisor start it. Nothing else depends on it.
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { databaseIn } from '../../client/elsewhere.ts';
import { packageVersion, resolveHome } from '../../deploy/host/home.ts';
import { DEFAULT_PORTS } from '../../deploy/parts/ports.ts';
import { createApp } from './app.ts';
import { type Listening, listeningOf } from './access/options.ts';
import { pageFiles } from './site/page-files.ts';
import { serverOf } from './serving/serve.ts';
import { takeSmallWeb } from './serving/small-web.ts';
import { openSite, pageFolder } from './site/site.ts';

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

/**
 * The first start of a version reads TypeScript, and what does that takes 35 MB that are never given back. The next start
 * finds what was read in the compile cache. So the process begins once more, under the same id.
 */
const AGAIN = 'EVOLVE_PAGE_AGAIN';
const LEAN_BYTES = 90e6;
if (process.env['NODE_COMPILE_CACHE'] && !process.env[AGAIN] && process.memoryUsage.rss() > LEAN_BYTES) {
  flushCompileCache();
  process.removeAllListeners('warning');
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve!(process.execPath, again, { ...(process.env as Record<string, string>), [AGAIN]: '1' });
}

takeSmallWeb();
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
/** Who sends slowly, or opens connections without end, takes memory. Ten people who look have about 70. */
const MOST_CONNECTIONS = 600;
const server = serverOf(app);
server.headersTimeout = 10_000;
server.requestTimeout = 60_000;
server.maxConnections = MOST_CONNECTIONS;
server.on('listening', () => tell(server.address() as AddressInfo));
server.listen(port ?? DEFAULT_PORTS.page, host);
server.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') refused(error);
  if (port !== null)
    refused(
      new Error(`--port: expected a free port on ${host}, but ${port} is taken: choose another, or 0 for a free one`),
    );
  server.listen(0, host);
});
// Whoever looks first finds what the papers say of the newest runs.
const MOST_READY = 100;
const ready = async (): Promise<void> => {
  const runs = await (await site.store()).listRuns();
  await Promise.all(runs.slice(0, MOST_READY).map(site.known));
};
ready().catch(() => undefined);
// What is loaded later is read once, too, even where the process is killed.
setTimeout(flushCompileCache, 30_000).unref();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    server.close();
    server.closeAllConnections();
    void site.close().finally(() => process.exit(0));
  });
