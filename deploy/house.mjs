// `npm run house [-- --json]`: how large the house is and where it grew out of its rules. `npm run check` asks it too.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';

/** The rooms whose lines are source. `tasks` is content. */
export const ROOMS = ['evolution', 'activities', 'workflows', 'workers', 'client', 'page', 'cli', 'deploy'];
const CODE = /\.(ts|tsx|mjs|py|sh)$/;
/** Tests lie in test/, in the folder `test` of a package within deploy/, and beside a client. */
const TEST = /^(test|deploy\/[^/]+\/test|clients\/python\/tests)\//;

const tracked = spawnSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', ...ROOMS, 'clients', 'test', 'docs', 'README.md'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
).stdout.split('\n');
const textOf = (file) => readFileSync(join(ROOT, file), 'utf8');
const read = (files) =>
  files.flatMap((file) => {
    try {
      return [{ file, text: textOf(file) }];
    } catch {
      return []; // git lists a file that was deleted and not committed yet
    }
  });
const lines = (files) => files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
const kib = (files) => Math.round(files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 102.4) / 10;
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g, '');

/** The functions of more than 80 lines, as the linter names them. */
const longFunctions = (node) => {
  const { stdout } = spawnSync(node, [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '-f', 'unix', ...ROOMS], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line.includes('max-lines-per-function'));
};

/** All figures, and the places that break a rule. */
export const house = (node) => {
  const source = read(tracked.filter((file) => CODE.test(file) && !TEST.test(file) && !file.startsWith('docs/')));
  const tests = read(tracked.filter((file) => CODE.test(file) && TEST.test(file)));
  const folders = new Map();
  for (const { file } of [...source, ...tests].filter((one) => !one.file.startsWith('test/fixtures/')))
    folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  const [largest] = [...folders].toSorted(([, a], [, b]) => b - a);
  const long = longFunctions(node);
  const code = source.map(({ file, text }) => ({ file, text: withoutComments(text) }));
  const patches = code.filter(({ text }) => /\b(patched|deprecatePatch)\(/.test(text)).map(({ file }) => file);
  return {
    figures: {
      sourceLines: lines(source),
      testLines: lines(tests),
      docsKiB: kib(read(tracked.filter((file) => file.startsWith('docs/') && file.endsWith('.md')))),
      readmeKiB: kib(read(['README.md'])),
      functionsOver80: long.length,
      largestFolder: largest[1],
      pauseFiles: code.filter(({ text }) => /\bpause\b/.test(text)).length,
      patchMarkers: patches.length,
    },
    faults: [...long, ...patches.map((file) => `${file}: a patch marker, which 1.0 has none of`)],
    largest: largest[0],
  };
};

if (process.argv[1] === import.meta.filename) {
  const { figures, faults, largest } = house(await ensureInstalled());
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures));
  else {
    for (const [name, value] of Object.entries(figures))
      console.log(`${name.padEnd(16)} ${value.toLocaleString('en')}`);
    console.log(`the largest folder is ${largest}`);
    for (const fault of faults) console.log(fault);
  }
}
