// evolve doctor: every part with its state and the fix; with a run, what happened to it and what to do.
import { openEngine } from '../../client/connection.ts';
import { namespaceRefusal } from '../../client/namespace.ts';
import type { Finding } from '../../deploy/stack/stack.ts';
import { act, type Context, describe } from '../flags/command.ts';
import { withRun, withStore } from '../flags/open.ts';
import { EXIT } from '../terminal/exit.ts';
import { findingLines } from '../terminal/finding-lines.ts';
import { json, line, lines } from '../terminal/output.ts';

export const doctorCommand = () =>
  describe('doctor')
    .argument('[run]', 'id of the run, or latest; the parts when left out')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string | undefined) =>
        id === undefined ? ofParts(context) : ofRun(context, id),
      ),
    );

const ofParts = async (context: Context): Promise<number> => {
  const { diagnose } = await import('../../deploy/stack/stack.ts');
  const findings = [...(await diagnose(context.home)), ...(await ofNamespace(context))];
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

/** Nothing where a part is away, which is a finding of its own. */
const ofNamespace = async (context: Context): Promise<readonly Finding[]> => {
  try {
    const refused = await withStore(context, async (store) => {
      const engine = await openEngine(context);
      try {
        return await namespaceRefusal(context, engine, store);
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
            fix: 'npx evolve down, then npx evolve up with another TEMPORAL_NAMESPACE or MONGODB_URI, or with --take-namespace',
          },
    ];
  } catch {
    return [];
  }
};

const ofRun = async (context: Context, id: string): Promise<number> =>
  withRun(context, id, async (run) => {
    const findings = await run.diagnose();
    const ok = findings.every((finding) => finding.ok);
    if (context.json) json({ run: run.id, ok, findings });
    else lines(findingLines(run.id, findings));
    return ok ? EXIT.well : EXIT.bad;
  });
