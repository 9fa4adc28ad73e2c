// What can be said of a program in a language that the gate does not parse, before it runs. Pure; called by evaluate.ts.

/** Reference `sandbox`, section 4. */
export const MAX_SOURCE_BYTES = 64 * 1024;

export const tooLong = (source: string): string | null => {
  const bytes = Buffer.byteLength(source);
  return bytes > MAX_SOURCE_BYTES ? `expected a program of at most ${MAX_SOURCE_BYTES} bytes, got ${bytes}` : null;
};

/** Null, or why it need not be run: too long, or the entry's name is nowhere in it. */
export const tooPlain = (source: string, entry: string): string | null =>
  tooLong(source) ?? (new RegExp(`\\b${entry}\\b`).test(source) ? null : `expected a function ${entry}, the program defines none`);
