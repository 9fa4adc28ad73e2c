// evolve doctor: every part with its state and the fix; with a run, what happened to it and what to do.
import { withParts } from '../../../client/connect/connection.ts';
import { type RunFinding, RUNS } from '../../../client/read/state-findings.ts';
import { moveCommand } from '../../../evolution/steering/advice/advice.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { EXIT } from '../../terminal/exit.ts';
import { json, lines } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command
    .argument('[run]', 'id of the run, or latest; without it the parts are checked')
    .action(
      act(async (context, _, id: string | undefined) => (id === undefined ? ofParts(context) : ofRun(context, id))),
    );

type Row = { readonly about: string; readonly ok: boolean; readonly detail: string };

const findingLines = ({ about, ok, detail }: Row, bad: string, todo: readonly string[]): readonly string[] => [
  `${ok ? 'ok  ' : bad}  ${about.padEnd(12)} ${detail}`,
  ...todo.map((text) => `${' '.repeat(19)}${text}`),
];

const ofParts = async (context: Context): Promise<number> => {
  const { diagnoseParts } = await import('../../../client/doctor/diagnose-parts.ts');
  const findings = await diagnoseParts(context);
  const bad = findings.filter(({ ok }) => !ok);
  if (context.json) json({ ok: bad.length === 0, findings });
  else
    lines([
      ...findings.flatMap(({ part, ok, detail, fix }) =>
        findingLines(
          { about: part, ok, detail },
          part === RUNS ? 'LOOK' : 'FAIL',
          fix === undefined ? [] : [`fix: ${fix}`],
        ),
      ),
      bad.length === 0 ? 'all parts are well' : `${bad.length} of ${findings.length} need attention`,
    ]);
  return bad.length === 0 ? EXIT.well : bad.every(({ part }) => part === RUNS) ? EXIT.bad : EXIT.missing;
};

/** Does not ask for the run first, because the fault may be that no part answers. */
const ofRun = async (context: Context, id: string): Promise<number> => {
  const { diagnose } = await import('../../../client/doctor/diagnose-run.ts');
  return withParts(context, async (parts) => {
    const { run, findings } = await diagnose(parts, id);
    const ok = findings.every((finding) => finding.ok);
    if (context.json) json({ run, ok, findings });
    else lines(runFindingLines(run, findings));
    return ok ? EXIT.well : EXIT.bad;
  });
};

export const runFindingLines = (run: string, findings: readonly RunFinding[]): readonly string[] => {
  const bad = findings.filter(({ ok }) => !ok).length;
  return [
    ...findings.flatMap((one) => {
      const commands =
        one.moves?.map((move) => `${move.isToFill ? 'with other values, ' : ''}${moveCommand(run, move)}`) ??
        one.command ??
        [];
      return findingLines(
        one,
        'LOOK',
        [commands].flat().map((command) => `${one.ok ? 'see' : 'do'}: ${command}`),
      );
    }),
    bad === 0
      ? `run ${run}: nothing needs doing`
      : `run ${run}: ${bad} of ${findings.length} findings need something done`,
  ];
};
