// Starts the server of the page: packs it where that was not done, and becomes it, under the same id.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { resolveHome } from '../../../deploy/host/home.ts';
import { pageFolder } from '../site/page-folder.ts';
import { packed } from './pack.ts';

const PACK = fileURLToPath(new URL('pack.ts', import.meta.url));
const PACKING_MS = 120_000;

/** Null where it cannot be packed, which is told and no reason not to serve. */
const script = (): string | null => {
  const kept = pageFolder(resolveHome(process.env));
  try {
    const there = packed(kept);
    if (there !== null) return there;
    execFileSync(process.execPath, [PACK, kept], { timeout: PACKING_MS, stdio: ['ignore', 'inherit', 'pipe'] });
    return packed(kept);
  } catch (error) {
    console.error(`the server of the page takes more memory than it would have to: ${(error as Error).message}`);
    return null;
  }
};

const main = script();
if (main === null) await import('../main.ts');
else {
  process.removeAllListeners('warning');
  const args = [process.execPath, ...process.execArgv, main, ...process.argv.slice(2)];
  process.execve!(process.execPath, args, process.env as Record<string, string>);
}
