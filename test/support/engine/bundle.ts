// The workflows that ship, bundled once for all tests of one state of the sources: the file from which workers run them.
import { readFileSync } from 'node:fs';
import { resolveHome } from '../../../deploy/host/home.ts';
import { ensureBundle } from '../../../deploy/versions/bundle.ts';
import { PARTS } from '../machine/home.ts';

export type Bundle = { readonly code: string };

export const shippedBundle = async (): Promise<Bundle> => {
  const { path } = await ensureBundle(resolveHome({ EVOLVE_HOME: PARTS, EVOLVE_PARTS: PARTS }), () => undefined);
  return { code: readFileSync(path, 'utf8') };
};
