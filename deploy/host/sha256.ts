import { createHash } from 'node:crypto';

/** In lower-case hexadecimal. The rest of the project has its own: deploy imports nothing of it. */
export const sha256 = (data: string | NodeJS.ArrayBufferView): string =>
  createHash('sha256').update(data).digest('hex');
