// What the trackers of the installation have, for `evolve doctor`.
import type { Store } from '../../activities/store/store.ts';
import { SetupError } from '../../deploy/host/run-command.ts';
import { readTrackers, TRACKERS, type Trackers } from '../../deploy/servers/trackers.ts';
import type { Finding } from '../../deploy/stack/diagnose.ts';

/** Nothing where no tracker is named. `listed` is called only where one is. */
export const trackersState = async (
  root: string,
  env: NodeJS.ProcessEnv,
  listed: () => ReturnType<Store['listTracking']>,
): Promise<readonly Finding[]> => {
  let named: Trackers;
  try {
    named = readTrackers(root, env);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const fix = 'mend or remove the file; workers read it again by themselves';
    return [{ part: 'trackers', ok: false, detail: error.message, fix }];
  }
  const asked = TRACKERS.filter((name) => named[name] !== undefined);
  const documents = asked.length === 0 ? [] : await listed();
  return asked.map((name) => {
    const own = documents.filter(({ tracker }) => tracker === name);
    const failing = own.filter(({ error }) => error !== null);
    const detail = `${name} (${named[name]}) has steps of ${own.filter(({ step }) => step >= 0).length} runs`;
    return failing.length === 0
      ? { part: 'trackers', ok: true, detail }
      : {
          ...{
            part: 'trackers',
            ok: false,
            detail: `${detail}; it fails for run ${failing[0]!.run}: ${failing[0]!.error}`,
          },
          fix: 'mend what the error names; runs go on, and what the tracker lacks is sent as soon as it answers',
        };
  });
};
