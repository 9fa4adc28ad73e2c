// The files of the page, made of page/view by esbuild when they are first needed, and kept under the hash of what they
// were made of. So no built file is in the repository, and a clone that has been used once starts at once.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const VIEW = join(ROOT, 'page', 'view');

export type File = {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
};
/** By their path on the server. */
export type Files = { readonly [path: string]: File };

const TYPES = {
  '/': 'text/html; charset=utf-8',
  '/page.js': 'text/javascript; charset=utf-8',
  '/worker.js': 'text/javascript; charset=utf-8',
  '/page.css': 'text/css; charset=utf-8',
} as const;
const NAMES: { readonly [path in keyof typeof TYPES]: string } = {
  '/': 'index.html',
  '/page.js': 'page.js',
  '/worker.js': 'worker.js',
  '/page.css': 'page.css',
};

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort();

/** Everything that the bundle could hold; what the page takes of `evolution` is small and pure. */
const sourceHash = (): string => {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const file of [...sourcesIn('page/view'), ...sourcesIn('page/api'), ...sourcesIn('evolution')])
    hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
};

const make = async (folder: string): Promise<void> => {
  const { build, stop } = await import('esbuild');
  await build({
    entryPoints: [{ in: join(VIEW, 'main.tsx'), out: 'page' }],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    logLevel: 'silent',
    legalComments: 'none',
  });
  // A script that is no module, so that a page that was opened from disk can start it too.
  await build({
    entryPoints: [join(VIEW, 'rows', 'worker.ts')],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'silent',
    legalComments: 'none',
  });
  await build({
    entryPoints: [join(VIEW, 'style.css')],
    outfile: join(folder, 'page.css'),
    bundle: true,
    minify: true,
    logLevel: 'silent',
  });
  writeFileSync(join(folder, 'index.html'), readFileSync(join(VIEW, 'index.html')));
  // Its process would stay otherwise.
  await stop();
};

const read = (folder: string): Files =>
  Object.fromEntries(
    Object.entries(NAMES).map(([path, name]) => {
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      const gzip = new Uint8Array(readFileSync(join(folder, `${name}.gz`)));
      return [path, { type: TYPES[path as keyof typeof TYPES], bytes, gzip }];
    }),
  );

/** `kept` is a folder in which the files stay. Throws with esbuild's words where the sources have a fault. */
export const bundle = async (kept: string): Promise<Files> => {
  const all = join(kept, 'files');
  const folder = join(all, sourceHash());
  if (existsSync(folder)) return read(folder);
  const making = `${folder}.${process.pid}`;
  rmSync(all, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  await make(making);
  for (const name of Object.values(NAMES))
    writeFileSync(join(making, `${name}.gz`), gzipSync(readFileSync(join(making, name)), { level: 9 }));
  try {
    renameSync(making, folder);
  } catch {
    // Another process was faster, with the same files.
  }
  return read(folder);
};

/** The files of the page, made when one is first asked for. A server whose sources change is started again. */
export const pageFiles = (kept: string): (() => Promise<Files>) => {
  let files: Promise<Files> | null = null;
  return () => {
    files ??= bundle(kept).catch((error: unknown) => {
      files = null;
      throw error;
    });
    return files;
  };
};
