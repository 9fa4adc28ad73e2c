// `evolve report --page`: the page's table of runs beside their papers, and their comparison, as a file.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { everySettings } from '../../client/read/settings-versions.ts';
import { taskName } from '../../evolution/task/task.ts';
import type { Files } from '../bundle.ts';
import type { Papers } from '../api/run/compare.ts';
import type { Overview } from '../api/run/runs.ts';
import { createApp } from '../server/app.ts';
import type { Site } from '../server/site/site.ts';
import { withoutPlaces } from './places.ts';
import { writePage, type Written } from './write-page.ts';

const named = (path: string, runs: readonly string[]): string =>
  `${path}?${new URLSearchParams({ runs: runs.join(',') })}`;

export const exportPapers = async (
  site: Site,
  files: Files,
  documents: readonly RunDocument[],
  file: string,
): Promise<Written> => {
  const runs = documents.map(({ run }) => run);
  const store = await site.store();
  const settings = await Promise.all(documents.map((document) => everySettings(store, document)));
  const app = createApp(site, {});
  return writePage(app, files, file, {
    title: 'Runs of DurableEvolve',
    version: site.about().version,
    exported: { run: null, at: new Date().toISOString() },
    wanted: [
      { path: 'papers', from: named('papers', runs) },
      {
        path: 'overview',
        change: (answer) => {
          const overview = answer as Overview;
          const these = overview.runs.filter(({ run }) => runs.includes(run));
          // The address of the workflow engine's UI is of no use elsewhere, and names a machine.
          return { ...overview, runs: these.map((card) => ({ ...card, temporalUrl: null })) };
        },
      },
    ],
    changeAll: withoutPlaces(settings),
    // A comparison of all runs of a task, in the order in which the view asks for them.
    after: (path, body) =>
      path === 'papers'
        ? (JSON.parse(new TextDecoder().decode(body)) as Papers).tables.map(({ lines }) =>
            named('compare', lines.map(({ run }) => run).sort()),
          )
        : [],
    left: `it has the comparisons of all its runs of a task: ${[...new Set(documents.map(({ config }) => taskName(config.task)))].join(', ')}`,
  });
};
