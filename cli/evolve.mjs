#!/usr/bin/env node
// The `evolve` command: any Node from 18 finds the project's Node and runs cli/main.ts on it. In a fresh clone it
// installs the packages first.
import { ensureInstalled, runScript, stripsTypes } from '../deploy/install.mjs';

const node = await ensureInstalled();
// `npx` puts the project's own Node first on PATH: then no second process is needed.
if (stripsTypes(process.version)) await import('./main.ts');
else process.exit(await runScript(node, 'cli/main.ts', process.argv.slice(2)));
