// The server of the page as few scripts, made by esbuild at the first start and kept under the hash of what they were
// made of: hundreds of small modules, and what reads TypeScript, would take more memory than all that the server does.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { PROJECT_ROOT } from '../../../deploy/host/home.ts';
import { hashSources } from '../../../deploy/versions/sources.ts';

const SOURCES = ['page', 'client', 'activities', 'evolution', 'deploy', 'package-lock.json'];
const MAIN = 'main.mjs';
/** All others are loaded by what is rarely asked, or by processes of their own, from where they are. */
const PACKED = /^(mongodb|bson|mongodb-connection-string-url|whatwg-url|webidl-conversions|tr46|hono|yaml|zod)(\/|$)/;

/** Marks a question of a plugin to esbuild itself. */
const FOUND = 'found';

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
      if (pluginData === FOUND || kind === 'entry-point' || PACKED.test(path)) return null;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: FOUND });
      // A part of Node, or a package that nobody installed and that its user does without.
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return { path: kind === 'require-call' ? found.path : pathToFileURL(found.path).href, external: true };
    });
  },
};

/**
 * Parts of Node are loaded when something of them is first used. An `import` loads them at once, and reads all that they
 * export: of `node:http` a WebSocket, which loads undici; of `node:tls` all root certificates; 16 MB together.
 */
const partsOfNode: Plugin = {
  name: 'parts-of-node',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'part-of-node' } : null));
    build.onLoad({ filter: /./, namespace: 'part-of-node' }, ({ path }) => {
      const part = `process.getBuiltinModule(${JSON.stringify(path)})`;
      const exported: unknown = process.getBuiltinModule(path);
      if (typeof exported === 'function' || exported === process) return { contents: `module.exports = ${part}` };
      const names = JSON.stringify(Object.getOwnPropertyNames(exported));
      const get = `for (const name of ${names}) Object.defineProperty(exports, name, { enumerable: true, get: () => part()[name] })`;
      return { contents: `const part = () => ${part};\n${get};` };
    });
  },
};

/**
 * What the driver loads at once and asks of every password, but needs for one with letters beyond ASCII or with control
 * characters alone: SASLprep (RFC 4013) leaves all others as they are. It is 3 MB of tables.
 */
const LATER = '@mongodb-js/saslprep';
export const loadedLater: Plugin = {
  name: 'loaded-later',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${LATER}$`) }, ({ path, namespace, pluginData }) =>
      namespace === 'later' || pluginData === FOUND ? null : { path, namespace: 'later' },
    );
    build.onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({
      contents: `exports.saslprep = (text, ...how) => /^[\\x20-\\x7e]*$/.test(text) ? text : require(${JSON.stringify(path)}).saslprep(text, ...how)`,
      resolveDir: PROJECT_ROOT,
    }));
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
    plugins: [partsOfNode, loadedLater, whereItWas],
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
