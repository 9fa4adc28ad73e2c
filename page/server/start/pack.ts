// The server of the page as few scripts, made by esbuild at the first start and kept under the hash of what they were made
// of: hundreds of small modules, and what reads TypeScript, would take more memory than all that the server does.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';
import { hashSources } from '../../../deploy/parts/sources.ts';

const SOURCES = ['page', 'client', 'activities', 'evolution', 'deploy', 'package-lock.json'];
const MAIN = 'main.mjs';
/** All others are loaded by what is rarely asked, or by processes of their own, from where they are. */
const PACKED = /^(mongodb|bson|mongodb-connection-string-url|whatwg-url|webidl-conversions|tr46|hono|yaml|zod)(\/|$)/;

const folderIn = (kept: string): string => join(kept, 'server', hashSources(SOURCES, [process.version]));

/** The script to start; null where it was not made yet. */
export const packed = (kept: string): string | null => {
  const main = join(folderIn(kept), MAIN);
  return statSync(main, { throwIfNoEntry: false }) === undefined ? null : main;
};

/** A module finds what lies beside it, and the packages of this project, although it is somewhere else now. */
const whereItWas: Plugin = {
  name: 'where-it-was',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = { url: pathToFileURL(path).href, dirname: dirname(path) };
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(place.url))
        .replaceAll('import.meta.dirname', JSON.stringify(place.dirname))
        .replaceAll('import.meta.main', 'false');
      return path.includes('/node_modules/') ? null : { loader: 'ts', contents };
    });
    build.onResolve({ filter: /^[@a-z]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === 'found' || kind === 'entry-point' || PACKED.test(path)) return null;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: 'found' });
      // A part of Node, or a package that nobody installed and that its user does without.
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return { path: kind === 'require-call' ? found.path : pathToFileURL(found.path).href, external: true };
    });
  },
};

/** Throws with esbuild's words where the sources have a fault. */
export const pack = async (kept: string): Promise<void> => {
  const { build } = await import('esbuild');
  const folder = folderIn(kept);
  const making = `${folder}.${process.pid}`;
  rmSync(join(kept, 'server'), { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const entry = join(PROJECT_ROOT, 'page', 'server', 'main.ts');
  const require = `import{createRequire}from'node:module';const require=createRequire(${JSON.stringify(pathToFileURL(entry).href)});`;
  await build({
    entryPoints: [entry],
    outdir: making,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is rarely asked is loaded when it is.
    splitting: true,
    minify: true,
    // So that what is written of a fault names functions.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: require },
    plugins: [whereItWas],
    logLevel: 'silent',
    legalComments: 'none',
  });
  try {
    renameSync(making, folder);
  } catch {
    // Another process was faster, with the same scripts.
  }
};

if (import.meta.main) await pack(process.argv[2] ?? '');
