// What `evolve doctor <run>` prints. Pure.
import type { RunFinding } from '../../client/read/state-findings.ts';

export const findingLines = (run: string, findings: readonly RunFinding[]): readonly string[] => {
  const bad = findings.filter(({ ok }) => !ok).length;
  return [
    ...findings.flatMap(({ about, ok, detail, command }) => [
      `${ok ? 'ok  ' : 'LOOK'}  ${about.padEnd(12)} ${detail}`,
      ...(command === undefined ? [] : [`${' '.repeat(19)}${ok ? 'see' : 'do'}: ${command}`]),
    ]),
    bad === 0
      ? `run ${run}: nothing needs doing`
      : `run ${run}: ${bad} of ${findings.length} findings need something done`,
  ];
};
