// A process for one action, because the workflow engine's client is heavier than the page's whole server may be: it
// reads one order from its input, does it, and answers in one line.
//
//   node act.ts <milliseconds after which it ends in any case>
import { text } from 'node:stream/consumers';
import { DurableEvolve } from '../../../client/durable-evolve.ts';
import { BadEndError, MissingError, UsageError } from '../../../client/connect/errors.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { SetupError } from '../../../deploy/host/run-command.ts';
import { installationModel } from '../../../deploy/stack/installation-model.ts';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import type { Body, VerbName } from '../../data/actions.ts';
import type { Order, Outcome } from './actor.ts';
import { carryOut } from './carry-out.ts';

// The server ends it earlier; one that was killed ends nobody.
setTimeout(() => process.exit(1), Number(process.argv[2] ?? 180_000)).unref();

const kindOf = (error: unknown): 'refused' | 'away' | null =>
  error instanceof UsageError || error instanceof ConfigError || error instanceof BadEndError
    ? 'refused'
    : error instanceof MissingError || error instanceof SetupError
      ? 'away'
      : null;

const done = async (order: Order): Promise<Outcome> => {
  const home = resolveHome(process.env);
  // A person who looks at the page has no shell whose environment names a model: the installation's is meant.
  const env = { ...process.env, ...installationModel(home.root, process.env) };
  const place = { home, env };
  if (order.kind === 'form') return { answer: await (await import('./form.ts')).form(order.of, place) };
  const warnings: string[] = [];
  const evolve = new DurableEvolve(place, (warning) => warnings.push(warning));
  try {
    const answer = await carryOut(evolve, order.verb, order.body as Body<VerbName>, env);
    return { answer: { ...answer, warnings: [...warnings, ...answer.warnings] } };
  } finally {
    await evolve.close();
  }
};

const outcome = await done(JSON.parse(await text(process.stdin)) as Order).catch((error: unknown): Outcome => {
  const kind = kindOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return {
    error: { kind: kind ?? 'fault', message: kind === null ? `this failed unexpectedly: ${message}` : message },
  };
});
process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => process.exit(0));
