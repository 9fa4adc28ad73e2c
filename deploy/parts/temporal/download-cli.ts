// Lets the SDK's testing package download the Temporal CLI into a directory, and prints the path of the file. It is a
// process of its own, because loading the package takes 100 MB and a download may hang.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [directory, version] = process.argv.slice(2);
if (!directory || !version) throw new Error('usage: node deploy/parts/temporal/download-cli.ts <directory> <version>');
try {
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: directory, version: `v${version}` }, ui: false },
  });
  await environment.teardown();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const file = readdirSync(directory).find(
  (name) => name.startsWith('temporal') && !name.endsWith('.json') && !name.endsWith('.downloading'),
);
if (!file) {
  console.error('the download left no file');
  process.exit(1);
}
console.log(join(directory, file));
process.exit(0);
