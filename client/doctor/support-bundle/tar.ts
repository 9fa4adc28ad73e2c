// Files as one archive in the form of POSIX (ustar), which every tar reads.

export type TarFile = { readonly name: string; readonly content: Buffer };

const BLOCK = 512;
const LONGEST_NAME = 100;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

const headerOf = (name: string, size: number, seconds: number): Buffer => {
  const header = Buffer.alloc(BLOCK);
  let at = 0;
  const field = (text: string, length: number): void => {
    header.write(text, at, length, 'latin1');
    at += length;
  };
  field(name, LONGEST_NAME);
  field(octal(0o600, 8), 8);
  field(octal(0, 8), 8);
  field(octal(0, 8), 8);
  field(octal(size, 12), 12);
  field(octal(seconds, 12), 12);
  const sumAt = at;
  field(' '.repeat(8), 8);
  field('0', 1);
  field('', LONGEST_NAME);
  field('ustar\0', 6);
  field('00', 2);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, sumAt, 8, 'latin1');
  return header;
};

/** Names have at most 100 characters, all of them ASCII. */
export const tarOf = (files: readonly TarFile[], at: Date): Buffer => {
  const seconds = Math.floor(at.getTime() / 1000);
  return Buffer.concat([
    ...files.flatMap(({ name, content }) => [
      headerOf(name, content.length, seconds),
      content,
      Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);
};
