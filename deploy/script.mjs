// `node deploy/script.mjs <file> ...`, as `npm run bench`, `shapes` and `interop` call it: installs the packages if needed,
// then runs the file with the rest as its flags.
import { ensureInstalled, runScript } from './install.mjs';

const [file, ...flags] = process.argv.slice(2);
process.exit(await runScript(await ensureInstalled(), file, flags));
