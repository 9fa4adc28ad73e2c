import { hash } from 'node:crypto';

/** SHA-256 in lower-case hexadecimal; of a text it is that of its UTF-8 bytes. */
export const sha256 = (data: string | NodeJS.ArrayBufferView): string => hash('sha256', data);
