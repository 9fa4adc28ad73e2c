// `npm run bench -- <flags>`: installs the packages if needed, then measures (test/bench/main.ts).
import { ensureInstalled, runScript } from './install.mjs';

process.exit(await runScript(await ensureInstalled(), 'test/bench/main.ts', process.argv.slice(2)));
