// The one digest of the system: SHA-256 of a text's UTF-8 bytes, lower-case hexadecimal.
import { createHash } from 'node:crypto';

export const hashText = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
