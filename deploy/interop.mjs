// `npm run interop -- <folder>... [flags]`: installs the packages if needed, then imports and proves the
// examples of other systems below the folders (test/interop/main.ts).
import { ensureInstalled, runScript } from './install.mjs';

process.exit(await runScript(await ensureInstalled(), 'test/interop/main.ts', process.argv.slice(2)));
