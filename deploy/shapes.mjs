// `npm run shapes -- <flags>`: installs the packages if needed, then plays the shapes of endpoints (test/shapes/main.ts).
import { ensureInstalled, runScript } from './install.mjs';

process.exit(await runScript(await ensureInstalled(), 'test/shapes/main.ts', process.argv.slice(2)));
