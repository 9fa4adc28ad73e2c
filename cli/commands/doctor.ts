// evolve doctor: every part with its state and the fix; with a run, what happened to it and what to do.
import { openEngine, openParts } from '../../client/connection.ts';
import { namespaceRefusal } from '../../client/namespace.ts';
import type { QueueRate } from '../../client/queue-rates.ts';
import type { Finding } from '../../deploy/stack/stack.ts';
import { act, type Context, describe } from '../flags/command.ts';
import { withStore } from '../flags/open.ts';
import { EXIT } from '../terminal/exit.ts';
import { findingLines } from '../terminal/finding-lines.ts';
import { json, line, lines } from '../terminal/output.ts';

export const doctorCommand = () =>
  describe('doctor')
    .argument('[run]', 'id of the run, or latest; without it the parts are checked')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string | undefined) =>
        id === undefined ? ofParts(context) : ofRun(context, id),
      ),
    );

const ofParts = async (context: Context): Promise<number> => {
  const { diagnose } = await import('../../deploy/stack/stack.ts');
  const findings = [
    ...(await diagnose(context.home)),
    ...(await ofNamespace(context)),
    await ofModel(context),
    ...(await ofNotices(context)),
  ];
  const bad = findings.filter(({ ok }) => !ok);
  if (context.json) json({ ok: bad.length === 0, findings });
  else {
    lines(
      findings.flatMap(({ part, ok, detail, fix }) => [
        `${ok ? 'ok  ' : 'FAIL'}  ${part.padEnd(12)} ${detail}`,
        ...(fix === undefined ? [] : [`${' '.repeat(19)}fix: ${fix}`]),
      ]),
    );
    line(bad.length === 0 ? 'all parts are well' : `${bad.length} of ${findings.length} need attention`);
  }
  return bad.length === 0 ? EXIT.well : EXIT.missing;
};

/** Finds nothing where a part is away, because that is a finding of its own. */
const ofNamespace = async (context: Context): Promise<readonly Finding[]> => {
  try {
    const { refused, attributes, rates } = await withStore(context, async (store) => {
      const engine = await openEngine(context);
      try {
        const { attributeProblem } = await import('../../client/search-attributes.ts');
        const { queueRates } = await import('../../client/queue-rates.ts');
        return {
          refused: await namespaceRefusal(context, engine, store),
          attributes: await attributeProblem(engine.connection, engine.namespace),
          rates: await queueRates(engine, await store.neededQueues()),
        };
      } finally {
        await engine.close();
      }
    });
    return [
      refused === null
        ? { part: 'namespace', ok: true, detail: 'works with this database' }
        : {
            part: 'namespace',
            ok: false,
            detail: refused,
            fix: 'npx evolve down, then npx evolve up with another TEMPORAL_NAMESPACE or MONGODB_URI; a namespace is also taken over with --take-namespace',
          },
      ...(attributes === null ? [] : [{ part: 'search attributes', ok: false, ...attributes }]),
      ...rates.flatMap(ofRate),
    ];
  } catch {
    return [];
  }
};

/** A queue without a rate is nothing to tell of. */
const ofRate = ({ queue, perSecond, reason, waiting }: QueueRate): readonly Finding[] => {
  if (perSecond === null) return [];
  const detail = `${queue} hands out ${perSecond} activities a second${reason ? ` (${reason})` : ''}, ${waiting} wait`;
  return [
    perSecond > 0
      ? { part: 'rates', ok: true, detail }
      : { part: 'rates', ok: false, detail, fix: `npx evolve rates set ${queue} off` },
  ];
};

const ofModel = async (context: Context): Promise<Finding> => {
  const { defaultModel } = await import('../../client/default-model.ts');
  const { ok, detail } = defaultModel(context);
  const fix = 'run `npx evolve up` with OPENAI_BASE_URL and EVOLVE_MODEL set, or with EVOLVE_MODEL=offline';
  return { part: 'models', ok, detail, ...(ok ? {} : { fix }) };
};

const ofNotices = async (context: Context): Promise<readonly Finding[]> => {
  const { noticesState } = await import('../../client/notices.ts');
  try {
    return [{ part: 'notices', ...(await noticesState(context, (work) => withStore(context, work))) }];
  } catch {
    return [];
  }
};

/** Does not ask for the run first, because what is to be found may be that nobody can be asked. */
const ofRun = async (context: Context, id: string): Promise<number> => {
  const { diagnose } = await import('../../client/diagnose-run.ts');
  const parts = openParts(context);
  try {
    const { run, findings } = await diagnose(parts, id);
    const ok = findings.every((finding) => finding.ok);
    if (context.json) json({ run, ok, findings });
    else lines(findingLines(run, findings));
    return ok ? EXIT.well : EXIT.bad;
  } finally {
    await parts.close();
  }
};
