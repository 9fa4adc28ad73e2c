// The source of a page that was exported to a file: its answers lie in the file, compressed, by their paths.
import type { Source } from './source.ts';

/** Null where this page is one of a server. */
export const exportedSource = (): Source | null => null;
