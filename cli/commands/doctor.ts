// evolve doctor: every part with its state and the fix; exit code 3 when one is missing.
import { act, describe } from '../command.ts';
import { EXIT } from '../exit.ts';
import { json, line } from '../output.ts';

export const doctorCommand = () => describe('doctor', 'check every part and say how to fix what is wrong')
  .action(act(async (context, _options: { readonly json?: boolean }) => {
    const { diagnose } = await import('../../deploy/stack.ts');
    const findings = await diagnose(context.home);
    const bad = findings.filter(({ ok }) => !ok);
    if (context.json) json({ ok: bad.length === 0, findings });
    else {
      for (const { part, ok, detail, fix } of findings) line(`${ok ? 'ok  ' : 'FAIL'}  ${part.padEnd(12)} ${detail}${fix === undefined ? '' : `\n${' '.repeat(19)}fix: ${fix}`}`);
      line(bad.length === 0 ? 'all parts are well' : `${bad.length} of ${findings.length} need attention`);
    }
    return bad.length === 0 ? EXIT.well : EXIT.missing;
  }));
