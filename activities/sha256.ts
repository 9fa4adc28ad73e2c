import { hash } from 'node:crypto';

/** SHA-256, of a text that of its UTF-8 bytes, in lower-case hexadecimal. */
export const sha256 = (data: string | NodeJS.ArrayBufferView): string => hash('sha256', data);
