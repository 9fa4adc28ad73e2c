// The plan of a run is told before it starts, and a person at a terminal is asked where it is large or dear. Scripts are
// never asked.
import type { Prepared } from '../../client/runs/start-run.ts';
import { EXIT } from '../terminal/exit.ts';
import { notes } from '../terminal/output.ts';
import { saysYes } from './many.ts';

/** Starts the prepared run by `start` and resolves to its exit code, or to that of a run that nobody wanted. */
export const onceAgreed = async (
  { plan }: Pick<Prepared, 'plan'>,
  { yes = false }: { readonly yes?: boolean },
  start: () => Promise<number | void>,
): Promise<number | void> => {
  notes([[...plan.lines, plan.cost()].join(' ')]);
  const asked = plan.asks && !yes && process.stdin.isTTY && process.stderr.isTTY;
  if (!asked || (await saysYes('Start it?'))) return start();
  notes(['Nothing was started.']);
  return EXIT.bad;
};
