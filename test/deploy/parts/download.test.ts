// `evolve task fetch`: a declared download comes whole or not at all, and one that was cut off by a kill goes on where it
// ended. A run without it says the command.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchDownloads, lockWorld } from '../../../client/tasks/world.ts';
import { projectNode, resolveHome } from '../../../deploy/host/home.ts';
import { dataHere } from '../../../deploy/images/task/data-files.ts';
import { readTask } from '../../../activities/task/load-task.ts';

const SCAFFOLD = join(import.meta.dirname, '..', '..', '..', 'client', 'tasks', 'scaffold', 'solution');
const CONTENT = Buffer.alloc(3_000_000, 'rows of a table\n');
const HASH = createHash('sha256').update(CONTENT).digest('hex');
const HALF = 1_000_000;
const ranges: (string | undefined)[] = [];
const said: string[] = [];
let [scratch, folder, url] = ['', '', ''];
let server: Server;
/** The first answer stops in the middle and does not end. */
let stalls = true;

beforeEach(async () => {
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    if (request.url !== '/rows.csv') return response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from === 0 ? 200 : 206);
    if (stalls) return response.write(CONTENT.subarray(0, HALF));
    return response.end(CONTENT.subarray(from));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows.csv`;
  scratch = await mkdtemp(join(tmpdir(), 'evolve-download-'));
  folder = join(scratch, 'own-task');
  await cp(SCAFFOLD, folder, { recursive: true });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(scratch, { recursive: true, force: true });
});

const declare = async (downloads: string): Promise<void> => {
  const yaml = await readFile(join(folder, 'task.yaml'), 'utf8');
  const own = yaml.replace(/\ndownloads:.*/, '').replaceAll('__ID__', 'own-task');
  await writeFile(join(folder, 'task.yaml'), `${own.trimEnd()}\ndownloads: [${downloads}]\n`);
};
const place = () => ({
  home: resolveHome({ EVOLVE_HOME: join(scratch, 'home') }),
  env: process.env,
  say: (line: string) => said.push(line),
});

test('a kill leaves no half file, the next call goes on, and a run finds the file', async () => {
  stalls = true;
  await declare(`{ url: "${url}", sha256: ${HASH}, file: data/rows.csv }`);
  await expect(lockWorld(place(), folder, null)).rejects.toThrow(
    `${join(folder, 'data/rows.csv')} is not here yet: \`npx evolve task fetch ${folder}\` brings it`,
  );
  const module = JSON.stringify(join(import.meta.dirname, '..', '..', '..', 'client', 'tasks', 'world.ts'));
  const child = spawn(projectNode(), [
    ...['--input-type=module', '--eval'],
    `import { fetchDownloads } from ${module};
     await fetchDownloads({ home: ${JSON.stringify(place().home)}, env: {}, say() {} }, ${JSON.stringify(folder)});`,
  ]);
  const part = join(folder, 'data', '.rows.csv.part');
  await expect
    .poll(() => (existsSync(part) ? readFile(part).then((got) => got.length) : 0), { timeout: 60_000 })
    .toBe(HALF);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(await readdir(join(folder, 'data'))).toEqual(['.rows.csv.part']);
  stalls = false;
  expect(await fetchDownloads(place(), folder)).toEqual(['data/rows.csv']);
  expect(ranges.at(-1)).toBe(`bytes=${HALF}-`);
  expect(await readdir(join(folder, 'data'))).toEqual(['rows.csv']);
  const asked = ranges.length;
  await fetchDownloads(place(), folder);
  expect(ranges).toHaveLength(asked);
  await lockWorld(place(), folder, null);
  const { world } = await readTask(folder);
  const copy = await dataHere(place().home.root, world!.data!);
  expect((await readFile(join(copy, 'data/rows.csv'))).equals(CONTENT)).toBe(true);
});

test('another file, an address without one, and a link are refused, and leave nothing', async () => {
  stalls = false;
  await declare(`{ url: "${url}", sha256: ${'a'.repeat(64)}, file: rows.csv }`);
  await expect(fetchDownloads(place(), folder)).rejects.toThrow(/expected a file with sha256 a{64}.*rows.csv.*got/);
  await declare(`{ url: "${url}.gz", sha256: ${HASH}, file: rows.csv }`);
  await expect(fetchDownloads(place(), folder)).rejects.toThrow(/cannot be fetched: it answers with HTTP 404/);
  await symlink(scratch, join(folder, 'out'));
  await declare(`{ url: "${url}", sha256: ${HASH}, file: out/rows.csv }`);
  await expect(fetchDownloads(place(), folder)).rejects.toThrow(
    /out: expected a file or folder of this folder, got a link/,
  );
  expect((await readdir(folder)).filter((name) => name.includes('rows'))).toEqual([]);
  expect(existsSync(join(scratch, 'rows.csv'))).toBe(false);
});
