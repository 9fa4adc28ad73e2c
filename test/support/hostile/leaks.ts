// Whether a text holds a key: as it is, in parts of eight letters and digits, or written in another way.

const lettersOf = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** The ways in which the text gives the key away. `partLetters`: how many of its letters and digits are too many. */
export const leaks = (text: string, key: string, partLetters = 8): readonly string[] => {
  const letters = lettersOf(key);
  const found = lettersOf(text);
  const bytes = [...Buffer.from(key)];
  const windows = (of: string, length: number): boolean =>
    Array.from({ length: Math.max(0, of.length - length + 1) }, (_, at) => of.slice(at, at + length)).some((part) =>
      found.includes(part),
    );
  const base64 = [...text.matchAll(/[\w+/-]{12,}/g)].map(([token]) => token);
  return [
    ...(text.includes(key) ? ['as it is'] : []),
    ...(windows(letters, Math.min(partLetters, letters.length)) ? ['in part'] : []),
    ...(windows([...letters].reverse().join(''), Math.min(partLetters, letters.length)) ? ['reversed'] : []),
    ...(windows(bytes.map((code) => code.toString(16)).join(''), 2 * partLetters) ? ['in hexadecimal'] : []),
    ...(windows(bytes.join(''), 3 * partLetters) ? ['in numbers'] : []),
    ...(base64.some((token) =>
      [0, 1, 2, 3].some((from) =>
        Buffer.from(token.slice(from).replaceAll('-', '+').replaceAll('_', '/'), 'base64')
          .toString('latin1')
          .includes(key),
      ),
    )
      ? ['in base64']
      : []),
  ];
};

/** The key as it is, and in the forms that are one piece: for much text, of which each is looked for at once. */
export const writtenForms = (key: string): readonly string[] => [
  key,
  [...key].reverse().join(''),
  Buffer.from(key).toString('hex'),
  encodeURIComponent(key),
  // What of the base64 is the same whatever stands before and behind the key.
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${key}`)
      .toString('base64')
      .slice(4, -4),
  ),
];
