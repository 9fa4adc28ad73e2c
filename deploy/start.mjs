// `npm start -- <flags>`: installs the packages if needed, then sets up the machine, runs the search and shows it
// (cli/main.ts start).
import { ensureInstalled, runScript } from './install.mjs';

process.exit(await runScript(await ensureInstalled(), 'cli/main.ts', ['start', ...process.argv.slice(2)]));
