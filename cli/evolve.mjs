#!/usr/bin/env node
// The `evolve` command: any Node from 18 finds the project's Node and runs cli/main.ts on it. In a fresh clone it installs the packages first.
import { ensureInstalled, runScript } from '../deploy/install.mjs';

process.exit(await runScript(await ensureInstalled(), 'cli/main.ts', process.argv.slice(2)));
