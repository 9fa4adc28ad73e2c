// `npm start -- <flags>`: installs the packages if needed, then sets up the machine, starts the search and shows it
// (`evolve start`).
import { ensureInstalled, runScript } from './install.mjs';

process.exit(await runScript(await ensureInstalled(), 'cli/main.ts', ['start', ...process.argv.slice(2)]));
