// Which lines of a program are open to change: those between its EVOLVE-BLOCK markers.

const START = /^\s*(?:#|\/\/)\s*EVOLVE-BLOCK-START\b/;
const END = /^\s*(?:#|\/\/)\s*EVOLVE-BLOCK-END\b/;

/** Which EVOLVE-BLOCK marker a line is; null where it is none. */
export const markerOf = (line: string): 'start' | 'end' | null =>
  !line.includes('EVOLVE-BLOCK-') ? null : START.test(line) ? 'start' : END.test(line) ? 'end' : null;

/** Which lines may be edited: those between markers. Null, for all lines, when the program has no markers. */
export const openLines = (lines: readonly string[]): readonly boolean[] | null => {
  const markers = lines.map(markerOf);
  if (!markers.includes('start')) return null;
  let inside = false;
  return markers.map((marker) => {
    if (marker === 'end') inside = false;
    const open = inside && marker === null;
    if (marker === 'start') inside = true;
    return open;
  });
};
