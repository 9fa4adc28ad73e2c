// Makes the worker image without an image registry, from its Dockerfile, Debian's packages and npm, and loads it into
// the Docker engine: node_modules/.bin/node deploy/images/worker/build.ts [archive.tar.zst]. It needs root, for chroot.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion, PROJECT_ROOT } from '../../host/home.ts';
import { sha256 } from '../../host/sha256.ts';
import { loadArchive, writeArchive } from '../evaluator/archive.ts';
import { command, connectEngine } from '../evaluator/engine.ts';
import { bootstrap, packLayer } from '../evaluator/rootfs.ts';
import { readRecipe, type Recipe } from './recipe.ts';
import { copySources } from './sources.ts';

const RECIPE = fileURLToPath(new URL('Dockerfile', import.meta.url));
/** The native part of Temporal's SDK for other systems. */
const FOREIGN = /(darwin|windows|aarch64)/;

const say = (line: string): void => console.log(`worker image: ${line}`);

/** Packages by the lock file, as `npm ci` in the recipe's first stage. */
const installPackages = async (folder: string, { npmFlags }: Recipe): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(PROJECT_ROOT, name), join(folder, name));
  await command('npm', ['ci', ...npmFlags, '--prefix', folder]);
  writeFileSync(
    join(folder, 'node_modules', '.evolve-install'),
    sha256(readFileSync(join(folder, 'package-lock.json'))),
  );
  symlinkSync('../../../cli/evolve.mjs', join(folder, 'node_modules', '.bin', 'evolve'));
  rmSync(join(folder, '.npmrc'));
  const releases = join(folder, 'node_modules', '@temporalio', 'core-bridge', 'releases');
  for (const name of readdirSync(releases))
    if (FOREIGN.test(name)) rmSync(join(releases, name), { recursive: true, force: true });
};

const fill = async (rootfs: string, recipe: Recipe): Promise<void> => {
  say(`Debian with ${recipe.debianPackages.join(', ')}`);
  await bootstrap(rootfs, { packages: recipe.debianPackages, variant: 'minbase' });
  chmodSync(rootfs, 0o755);
  const folder = join(rootfs, recipe.workDir);
  say(`npm ci ${recipe.npmFlags.join(' ')}`);
  await installPackages(folder, recipe);
  copySources(PROJECT_ROOT, folder, recipe.sources);
  for (const path of recipe.openDirectories) {
    mkdirSync(join(rootfs, path), { recursive: true });
    chmodSync(join(rootfs, path), 0o1777);
  }
  for (const path of ['var/cache', 'var/lib/apt', 'var/log', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'])
    rmSync(join(rootfs, path), { recursive: true, force: true });
};

if (process.getuid?.() !== 0)
  throw new Error('expected root, because Debian is installed into a folder (chroot): run it with sudo');
const workDir = mkdtempSync(join(tmpdir(), 'evolve-worker-image-'));
process.umask(0o022);
try {
  const recipe = readRecipe(RECIPE);
  await fill(join(workDir, 'rootfs'), recipe);
  const layer = await packLayer(join(workDir, 'rootfs'), workDir);
  const archive = process.argv[2] ?? join(workDir, 'worker.tar.zst');
  const version = packageVersion();
  const id = await writeArchive(layer, archive, {
    tag: () => `durable-evolve:${version}`,
    config: recipe.config,
    comment: 'durable-evolve worker recipe',
  });
  await loadArchive(connectEngine(process.env['DOCKER_HOST']), archive);
  say(`durable-evolve:${version} (${id})`);
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
