// Bundles the workflows into one file, in a process of its own because webpack needs 300 MB. `evolve up` runs it when
// the sources have changed.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { writeWhole } from '../activities/whole-file.ts';

const file = process.argv[2];
if (!file) throw new Error('usage: node workers/bundle.ts <output file>');
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
  payloadConverterPath: fileURLToPath(new URL('../workflows/messages/unreadable.ts', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
await mkdir(dirname(file), { recursive: true });
writeWhole(file, code);
