// A thread that writes the page of a run as one file: the server goes on meanwhile, and the memory of it ends with it.
import { parentPort, workerData } from 'node:worker_threads';
import { packageVersion, resolveHome } from '../../deploy/host/home.ts';
import { bundle } from '../bundle.ts';
import { pageFolder } from '../server/rows/row-files.ts';
import { openSite } from '../server/site/site.ts';
import { exportPage, wholeFrom } from './export-page.ts';

const [run, programs, file] = workerData as readonly [run: string, programs: string, file: string];
const place = { home: resolveHome(process.env), env: process.env };
const site = openSite(place, { version: packageVersion(), readOnly: null });
try {
  await exportPage(site, await bundle(pageFolder(place.home)), run, file, wholeFrom(programs), (progress) =>
    parentPort?.postMessage(progress),
  );
} finally {
  await site.close();
}
process.exit(0);
