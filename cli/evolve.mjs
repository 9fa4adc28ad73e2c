#!/usr/bin/env node
// The `evolve` command: any Node from 18 finds the project's Node and runs cli/main.ts on it. In a fresh clone it
// installs the packages first.
import module from 'node:module';
import { ensureInstalled, ROOT, runScript, stripsTypes } from '../deploy/install.mjs';

const node = await ensureInstalled();
// `npx` puts the project's own Node first on PATH: then no second process is needed.
if (stripsTypes(process.version)) {
  // What Node makes of the sources is kept, so that they are compiled once; `npm ci` removes it.
  module.enableCompileCache?.(`${ROOT}/node_modules/.cache/evolve`);
  await import('./main.ts');
} else process.exit(await runScript(node, 'cli/evolve.mjs', process.argv.slice(2)));
