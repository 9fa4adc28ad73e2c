// The process of the page: `evolve ui`, `evolve worker page` and the supervisor start it. Nothing else depends on it.
import { serve } from '@hono/node-server';
import { join } from 'node:path';
import { resolveHome } from '../../deploy/host/home.ts';
import { bundle } from '../bundle.ts';
import { createApp } from './app.ts';
import { openSite } from './site/site.ts';

const home = resolveHome(process.env);
const site = openSite({ home, env: process.env }, { version: 'x', readOnly: null });
const app = createApp(site, await bundle(join(home.root, 'page')));
const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['EVOLVE_PAGE_PORT'] ?? 0) },
  ({ port }) => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }));
  },
);
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    server.close();
    void site.close().finally(() => process.exit(0));
  });
