// The states of a run as server-sent events, until it has ended or nobody reads them any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalOf, storedRun } from '../site/site.ts';
import type { Asked } from './route.ts';

/** Proxies end connections on which nothing comes. */
const HEARTBEAT_MS = 15_000;

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export const watched = async ({ site, run: id }: Asked): Promise<(gone: AbortSignal) => AsyncGenerator<string>> => {
  const { run } = (await storedRun(site, id)).run;
  return async function* (gone) {
    const states = site.watch(run, gone);
    const ask = () => {
      const next = states.next();
      // Nobody may wait for it any more when it fails.
      next.catch(() => undefined);
      return next;
    };
    const beat = () => sleep(HEARTBEAT_MS, null, { ref: false });
    try {
      for (let [next, heart] = [ask(), beat()]; ;) {
        const come = await Promise.race([next, heart]);
        if (come === null) heart = beat();
        else next = ask();
        yield come === null ? ':\n\n' : event(come.done ? 'end' : 'state', come.value);
        if (come?.done) return;
      }
    } catch (error) {
      if (!gone.aborted) yield event('failed', refusalOf(error)[0]);
    } finally {
      await states.return(undefined as never);
    }
  };
};
