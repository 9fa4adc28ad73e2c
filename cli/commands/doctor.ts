// evolve doctor: every part with its state and the fix; with a run, what happened to it and what to do.
import { act, type Context, describe } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { EXIT } from '../terminal/exit.ts';
import { findingLines } from '../terminal/finding-lines.ts';
import { json, line } from '../terminal/output.ts';

export const doctorCommand = () =>
  describe('doctor', 'check every part, or one run, and say how to fix what is wrong')
    .argument('[run]', 'id of the run, or latest; the parts when left out')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string | undefined) =>
        id === undefined ? ofParts(context) : ofRun(context, id),
      ),
    );

const ofParts = async (context: Context): Promise<number> => {
  const { diagnose } = await import('../../deploy/stack/stack.ts');
  const findings = await diagnose(context.home);
  const bad = findings.filter(({ ok }) => !ok);
  if (context.json) json({ ok: bad.length === 0, findings });
  else {
    for (const { part, ok, detail, fix } of findings)
      line(
        `${ok ? 'ok  ' : 'FAIL'}  ${part.padEnd(12)} ${detail}${fix === undefined ? '' : `\n${' '.repeat(19)}fix: ${fix}`}`,
      );
    line(bad.length === 0 ? 'all parts are well' : `${bad.length} of ${findings.length} need attention`);
  }
  return bad.length === 0 ? EXIT.well : EXIT.missing;
};

const ofRun = async (context: Context, id: string): Promise<number> =>
  withRun(context, id, async (run) => {
    const findings = await run.diagnose();
    const ok = findings.every((finding) => finding.ok);
    if (context.json) json({ run: run.id, ok, findings });
    else for (const text of findingLines(run.id, findings)) line(text);
    return ok ? EXIT.well : EXIT.bad;
  });
