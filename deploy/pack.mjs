// `npm run pack [-- <folder>]`: makes `durable-evolve-<version>.tgz` in `runs`, or in that folder: the package that
// `npm install` and `npx` take. It holds what runs, as JavaScript with declarations, because Node strips no types below
// node_modules.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';

const FOLDERS = [
  ...['evolution', 'workflows', 'activities', 'workers', 'client', 'cli', 'page', 'tasks', 'experiments'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/*.md'],
  ...[
    'deploy/install.mjs',
    'deploy/images',
    'deploy/kubernetes',
    'deploy/parts',
    'deploy/requirements',
    'deploy/trainer',
    'clients/python',
  ],
];
/** Sources that tsc writes as JavaScript, and what only a clone needs. */
const LEFT_OUT = /\.tsx?$|^deploy\/kubernetes\/test\/|^clients\/python\/tests\/|tsconfig\.json$/;
/** Those for which npm has the Node that we pin; it installs the one that fits. Elsewhere the user's own is taken. */
const NODE_PLATFORMS = ['linux-x64', 'linux-arm64'];
/** A file of ours that the code names as text: an entry of a process, a thread or a bundle. */
const NAMED_SOURCE = /\.tsx?(?=['"`])/g;

const run = (file, args, options = {}) => {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: ROOT, encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  console.error(`${stdout}${stderr}\npack: ${args.join(' ')} failed`);
  return process.exit(1);
};

/** The declarations that the library's own lead to, as absolute paths. */
const declarations = (file, found = new Set()) => {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, named] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.ts['"]/g))
    declarations(resolve(dirname(file), `${named}.d.ts`), found);
  return found;
};

/** The package.json of the package: what the clone's says, without what only a clone can do. */
const manifest = () => {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    allowScripts: _allow,
    ...kept
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // The package `node` fetches these by a script, and npm runs no script of a package that nobody has approved.
  const { node, ...dependencies } = kept.dependencies;
  return {
    ...kept,
    dependencies,
    optionalDependencies: Object.fromEntries(NODE_PLATFORMS.map((platform) => [`node-${platform}`, node])),
    // `npx evolve`, as the docs say, must not fetch a stranger's package of that name.
    bin: { 'durable-evolve': 'cli/evolve.mjs', evolve: 'cli/evolve.mjs' },
    exports: { '.': { types: './client/index.d.ts', default: './client/index.js' } },
  };
};

const node = await ensureInstalled();
const folder = resolve(process.argv[2] ?? join(ROOT, 'runs'));
mkdirSync(folder, { recursive: true });
const out = mkdtempSync(join(tmpdir(), 'evolve-pack-'));
// `npm run check` has checked the types, which takes more than half of the time.
for (const config of ['tsconfig.json', 'page.json'])
  run(node, ['node_modules/typescript/bin/tsc', '--noCheck', '-p', `deploy/package/${config}`, '--outDir', out]);
for (const file of run('git', ['ls-files', '-co', '--exclude-standard', ...FOLDERS]).split('\n'))
  if (file !== '' && !LEFT_OUT.test(file)) cpSync(join(ROOT, file), join(out, file));
const declared = declarations(join(out, 'client', 'index.d.ts'));
for (const { parentPath, name } of readdirSync(out, { recursive: true, withFileTypes: true })) {
  const file = join(parentPath, name);
  if (name.endsWith('.d.ts') && !declared.has(file)) rmSync(file);
  if (/\.m?js$/.test(name))
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(NAMED_SOURCE, '.js').replaceAll('package-lock.json', 'package.json'),
    );
}
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
const [{ filename, files, size, unpackedSize }] = JSON.parse(
  run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: out }),
);
console.log(
  `${join(folder, filename)}: ${files.length} files, ${(size / 1e6).toFixed(1)} MB packed, ${(unpackedSize / 1e6).toFixed(1)} MB`,
);
rmSync(out, { recursive: true });
