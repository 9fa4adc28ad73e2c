// `npm run interop -- <folder>... [--json] [--python <path>]`: imports and proves each example of another system below
// the folders, on copies, and prints the table of docs/peers-folders.md. `--python` is an interpreter with the packages
// of these systems: it runs their own evaluators on this machine, outside of any sandbox. A file of an earlier `--json`
// in the place of a folder gives its rows again.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isMade } from '../../activities/task/script.ts';
import { type LonePeer, peerTask, type PeerTask } from '../../client/tasks/peers/formats.ts';
import { peerSettings } from '../../client/tasks/peers/peer-settings.ts';
import { PROJECT_ROOT, projectNode } from '../../deploy/host/home.ts';
import { type Row, tableOf } from './table.ts';

type Example = { readonly folder: string; readonly task: PeerTask | LonePeer };
const SECONDS = { import: 3_600, peer: 900 };

/** What the folders above an example hold of its repository: packages that its evaluator imports. */
const above = (folder: string): readonly string[] => {
  const roots = ['pyproject.toml', 'setup.py', 'environment.yaml'];
  const isRoot = roots.some((name) => existsSync(join(folder, name)));
  return isRoot || folder === dirname(folder) ? [folder] : [folder, ...above(dirname(folder))];
};

/** Paths to two levels below, which is as deep as the files lie that tell a format. */
const namesIn = (folder: string, levels = 2): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !isMade(name))
    .flatMap((entry) =>
      entry.isFile()
        ? [entry.name]
        : entry.isDirectory() && levels > 0
          ? namesIn(join(folder, entry.name), levels - 1).map((name) => `${entry.name}/${name}`)
          : [],
    );

const textIn =
  (folder: string) =>
  (name: string): string =>
    readFileSync(join(folder, name), 'utf8');

const examplesIn = (folder: string): readonly Example[] => {
  const task = peerTask({ names: namesIn(folder), text: textIn(folder) });
  if (task !== null) return [{ folder, task }];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !isMade(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => examplesIn(join(folder, name)));
};

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };
const run = (command: string, args: readonly string[], seconds: number, env = {}): Promise<Ended> =>
  new Promise((done) => {
    const child = spawn(command, args, {
      ...{ stdio: ['ignore', 'pipe', 'pipe'], timeout: seconds * 1_000, killSignal: 'SIGKILL' },
      env: { ...process.env, ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk));
    child.stderr.on('data', (chunk: Buffer) => (err = (err + chunk).slice(-4_000)));
    child.on('close', (code) => done({ code, out, err }));
  });

const copied = async <T>(folder: string, use: (copy: string) => Promise<T>): Promise<T> => {
  const root = mkdtempSync(join(tmpdir(), 'interop-'));
  try {
    const copy = join(root, basename(folder));
    cpSync(folder, copy, { recursive: true });
    return await use(copy);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** True where a file of the folder is not as it was. */
const isEdited = (folder: string, copy: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(
    (name) =>
      statSync(join(folder, name)).isFile() && !readFileSync(join(folder, name)).equals(readFileSync(join(copy, name))),
  );

const peersScore = async (
  { folder, task }: Example,
  above: readonly string[],
  python: string,
): Promise<number | string | null> => {
  const { score } = peerSettings({ names: namesIn(folder), text: textIn(folder) }, task as PeerTask);
  const job = JSON.stringify({ ...task, folder, score });
  const env = {
    PYTHONPATH: [...above, join(above.at(-1)!, 'src')].join(':'),
    OMP_NUM_THREADS: '1',
    PATH: `${dirname(python)}:${process.env['PATH']}`,
  };
  const { out, err } = await run(python, [join(import.meta.dirname, 'peer.py'), job], SECONDS.peer, env);
  try {
    return (JSON.parse(out.trim().split('\n').at(-1)!) as { score: number }).score;
  } catch {
    return err.trim().split('\n').at(-1)!.slice(0, 200) || 'it did not end';
  }
};

const rowOf = async (example: Example, python: string | undefined): Promise<Row> => {
  const folders = above(example.folder);
  const root = folders.at(-1)!;
  const own = { repository: basename(root), example: relative(root, example.folder), format: example.task.format };
  return copied(example.folder, async (copy) => {
    const cli = [join(PROJECT_ROOT, 'cli', 'evolve.mjs'), 'import', copy, '--json'];
    const { code, out, err } = await run(projectNode(), cli, SECONDS.import);
    const proof = out.startsWith('{')
      ? (JSON.parse(out) as { initial: readonly number[]; problem: string | null })
      : null;
    const edited = isEdited(example.folder, copy);
    const refusal = err
      .split(/^error: /m)
      .at(-1)!
      .replaceAll(`${copy}/`, '')
      .replaceAll(copy, basename(copy))
      .replaceAll(/^[\w.]+: |\. Change it there.*$/gs, '');
    const ours = proof?.initial[0] ?? null;
    const reason = proof === null ? refusal.trim() || 'it did not end' : proof.problem;
    const row = { ...own, imported: code === 0, edited, ours, peers: null, equal: null, reason };
    if (python === undefined || ours === null) return row;
    const score = () => copied(example.folder, (folder) => peersScore({ ...example, folder }, folders, python));
    const theirs = await score();
    if (typeof theirs !== 'number') return { ...row, reason: row.reason ?? `the peer's own: ${theirs}` };
    if (Math.abs(theirs - ours) <= 1e-9 * Math.max(1, Math.abs(ours))) return { ...row, peers: theirs, equal: true };
    const again = await score();
    return again === theirs
      ? { ...row, peers: theirs, equal: false }
      : { ...row, peers: theirs, reason: row.reason ?? `drawn: the peer's own gives ${theirs}, then ${again}` };
  });
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, python: { type: 'string' } },
});
const rows: Row[] = [];
for (const path of positionals.map((one) => resolve(one))) {
  if (path.endsWith('.json')) rows.push(...(JSON.parse(readFileSync(path, 'utf8')) as Row[]));
  else
    for (const example of examplesIn(path)) {
      const row = await rowOf(example, values.python);
      rows.push(row);
      console.error(
        `${row.imported ? 'imported' : 'refused '} ${row.example} ${row.ours ?? ''} ${row.peers ?? ''} ${row.reason ?? ''}`,
      );
    }
}
console.log(values.json === true ? JSON.stringify(rows, null, 1) : tableOf(rows));
process.exit(rows.some(({ edited }) => edited) ? 1 : 0);
