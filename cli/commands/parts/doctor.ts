// evolve doctor: every part with its state and the fix; with a run, what happened to it and what to do.
import { openParts } from '../../../client/connect/connection.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { EXIT } from '../../terminal/exit.ts';
import { findingLines } from '../../terminal/finding-lines.ts';
import { json, line, lines } from '../../terminal/output.ts';

export const doctorCommand = () =>
  describe('doctor')
    .argument('[run]', 'id of the run, or latest; without it the parts are checked')
    .action(
      act(async (context, _options: { readonly json?: boolean }, id: string | undefined) =>
        id === undefined ? ofParts(context) : ofRun(context, id),
      ),
    );

const ofParts = async (context: Context): Promise<number> => {
  const { diagnoseParts } = await import('../../../client/doctor/diagnose-parts.ts');
  const findings = await diagnoseParts(context);
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

/** Does not ask for the run first, because what is to be found may be that nobody can be asked. */
const ofRun = async (context: Context, id: string): Promise<number> => {
  const { diagnose } = await import('../../../client/doctor/diagnose-run.ts');
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
