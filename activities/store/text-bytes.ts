// Text as bytes without loss, for blobs: UTF-8, extended (WTF-8) so that lone surrogates of a cut answer survive. Called by texts.ts.

/** UTF-8; a lone surrogate becomes the three bytes its code point would have. No two texts share their bytes. */
export const textToBytes = (text: string): Buffer => {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!;
    if (point > 0xffff) { i++; continue; }
    if (point < 0xd800 || point > 0xdfff) continue;
    parts.push(Buffer.from(text.slice(from, i), 'utf8'), Buffer.of(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)));
    from = i + 1;
  }
  parts.push(Buffer.from(text.slice(from), 'utf8'));
  return Buffer.concat(parts);
};

/** The bytes of a surrogate start with ED and a second byte above 9F, which UTF-8 never has. */
export const bytesToText = (bytes: Buffer): string => {
  let text = '';
  let from = 0;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    if (bytes[at + 1]! < 0xa0) continue;
    text += bytes.toString('utf8', from, at) + String.fromCharCode(0xd000 | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f));
    from = at + 3;
  }
  return text + bytes.toString('utf8', from);
};
