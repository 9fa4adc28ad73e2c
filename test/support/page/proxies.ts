// Servers that stand before the page under the path /evolve/, each as docs/page.md configures it: nginx and Caddy where
// they are on this machine, and always one of Node's own that does the same.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '../../../deploy/host/run-command.ts';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { until } from '../machine/home.ts';

export const UNDER = '/evolve/';
type Proxy = { readonly url: string; stop(): Promise<void> };
/** Starts one before the page at this port. */
export type StartProxy = (page: number) => Promise<Proxy>;

/** The configuration in docs/page.md, for another port of the page. */
const snippet = (language: string, page: number): string => {
  const docs = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'page.md'), 'utf8');
  const found = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(docs)?.[1];
  if (found === undefined) throw new Error(`docs/page.md has no block of ${language}`);
  return found.replaceAll('8235', String(page));
};

type Asked = {
  readonly file: string;
  readonly configuration: (folder: string, port: number) => string;
  readonly args: (file: string) => readonly string[];
};

const started = async ({ file, configuration, args }: Asked): Promise<Proxy> => {
  const folder = mkdtempSync(join(tmpdir(), 'page-proxy-'));
  const port = (await findFreePort())!;
  const written = join(folder, 'configuration');
  writeFileSync(written, configuration(folder, port));
  const child = spawn(file, args(written), {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = `http://127.0.0.1:${port}`;
  await until('the proxy to answer', 30_000, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** `host` is what it sends as the header Host; by the docs it is what the browser sent. */
const nginx =
  (file: string, host = '$http_host'): StartProxy =>
  (page) =>
    started({
      file,
      args: (written) => ['-c', written],
      configuration: (folder, port) => {
        const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
          (name) => `${name}_temp_path ${folder}/${name};`,
        );
        return `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log ${folder}/errors; events {}
http { access_log off; ${places.join(' ')}
server { listen 127.0.0.1:${port}; ${snippet('nginx', page).replace('$http_host', host)} } }`;
      },
    });

const caddy =
  (file: string): StartProxy =>
  (page) =>
    started({
      file,
      args: (written) => ['run', '--config', written, '--adapter', 'caddyfile'],
      configuration: (_, port) =>
        `{\nadmin off\nlog {\nlevel ERROR\n}\n}\nhttp://127.0.0.1:${port} {\n${snippet('caddy', page)}}\n`,
    });

const ofNode: StartProxy = async (page) => {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(UNDER)) return outgoing.writeHead(302, { location: UNDER }).end();
    const asked = request(
      {
        ...{ port: page, path: path.slice(UNDER.length - 1), method: incoming.method },
        headers: { ...incoming.headers, 'x-forwarded-for': '127.0.0.1' },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    return incoming.pipe(asked);
  });
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
};

const [nginxFile, caddyFile] = [findOnPath('nginx'), findOnPath('caddy')];
export const PROXIES: readonly (readonly [name: string, start: StartProxy])[] = [
  ['a server of Node', ofNode],
  ...(nginxFile === null
    ? []
    : [
        ['nginx', nginx(nginxFile)] as const,
        ['nginx, which sends the name without the port', nginx(nginxFile, '$host')] as const,
      ]),
  ...(caddyFile === null ? [] : [['Caddy', caddy(caddyFile)] as const]),
];
