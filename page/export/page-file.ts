// A page as one HTML file that opens from disk: script, style and answers lie in it, and its policy forbids every
// request. Answers are base64 in tags that are not run, so no text of a model can end its tag.
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { FileIndex } from '../api/site/pack.ts';
import type { Files } from '../bundle.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Both forms mean the same in strings, templates and regular expressions, where alone they are in a script. */
const inert = (script: string): string =>
  script
    .replaceAll(/<(?=\/script|!--)/gi, String.raw`\x3c`)
    // A terminal in which somebody shows the file obeys none of it.
    .replaceAll(/[^\P{Cc}\n\t]/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);

const textOf = (files: Files, path: string): string => {
  const file = files[path];
  if (file === undefined)
    throw new Error(`expected the page to have a file ${path}, got ${Object.keys(files).join(', ')}`);
  return new TextDecoder().decode(file.bytes);
};

const policy = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data: blob:',
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const tag = (id: string, bytes: Uint8Array): string =>
  `<script type="text/plain" id="${id}">${Buffer.from(bytes).toString('base64')}</script>\n`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** It may hold code and prompts, which its owner gives to whom he likes. */
const OWN = 0o600;

export type PageFile = {
  /** Adds a pack, compressed. */
  pack(number: number, bytes: Uint8Array): Promise<void>;
  /** Writes what is left; the file has its name only now. Its size in bytes. */
  end(index: FileIndex): Promise<number>;
  /** Removes what was written. Nothing happens after the end. */
  cancel(): Promise<void>;
};

export const createPageFile = async (path: string, files: Files, title: string): Promise<PageFile> => {
  const [script, style] = [inert(textOf(files, '/page.js')), textOf(files, '/page.css')];
  const part = `${path}.${process.pid}.part`;
  await rm(part, { force: true });
  // A new file, and not what a link of this name leads to.
  const file = await open(part, 'wx', OWN);
  let bytes = 0;
  let done = false;
  const write = async (text: string): Promise<void> => {
    bytes += (await file.write(text)).bytesWritten;
  };
  await write(`<!doctype html>
<html lang="en" data-theme="system">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy(script, style))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"><p>Unpacking the page …</p></div>
<noscript>This page is drawn by its script, which is in this file.</noscript>
`);
  const worker = files['/worker.js'];
  // Nothing runs it here: the page makes its worker of this text.
  if (worker !== undefined)
    await write(`<script type="text/plain" id="worker-script">${inert(textOf(files, '/worker.js'))}</script>\n`);
  return {
    pack: (number, packed) => write(tag(`pack-${number}`, packed)),
    async end(index) {
      await write(tag('index', gzipSync(JSON.stringify(index), { level: 9 })));
      await write(`<script type="module">${script}</script>\n</body>\n</html>\n`);
      await file.close();
      await rename(part, path);
      done = true;
      return bytes;
    },
    async cancel() {
      if (done) return;
      done = true;
      await file.close();
      await rm(part, { force: true });
    },
  };
};
