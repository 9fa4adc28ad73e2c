// A process that writes the page of a run as one file, because that takes more memory than the page's whole server may.
//
//   node export-process.ts <run> <all, none or best:n> <file>
import { resolveHome, packageVersion } from '../../deploy/host/home.ts';
import { bundle } from '../bundle.ts';
import { pageFolder } from '../server/site/page-folder.ts';
import { openSite } from '../server/site/site.ts';
import { exportPage, wholeFrom } from './export-page.ts';

const [run, programs, file] = process.argv.slice(2) as [string, string, string];
const place = { home: resolveHome(process.env), env: process.env };
const site = openSite(place, { version: packageVersion(), readOnly: null });
try {
  await exportPage(site, await bundle(pageFolder(place.home)), run, file, wholeFrom(programs));
} finally {
  await site.close();
}
process.exit(0);
