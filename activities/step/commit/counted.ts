// What a committed step adds to the metrics and the log of its worker.
import type { RunId } from '../../../evolution/types.ts';
import type { BestProgram } from '../../store/documents/documents.ts';
import type { CallDocument, ProgramDocument, RolloutDocument } from '../../store/documents/step-documents.ts';
import { count, gaugeAt } from '../../telemetry/metrics.ts';
import { tell } from '../../telemetry/lines.ts';

type Committed = {
  readonly run: RunId;
  readonly step: number;
  readonly programs: readonly ProgramDocument[];
  readonly answers: readonly (RolloutDocument | CallDocument)[];
  readonly population: number;
  readonly best: BestProgram | null;
};

export const countCommit = ({ run, step, programs, answers, population, best }: Committed): void => {
  for (const program of programs) {
    count('programs', { run, outcome: program.outcome });
    tell('info', 'program committed', {
      ...{ run, step, program: program._id, outcome: program.outcome, score: program.score },
    });
  }
  for (const answer of answers) {
    // As the run's settings name it. What an endpoint calls itself may be any text.
    const model = answer.asked ?? answer.model;
    count('tokens', { run, model, kind: 'in' }, answer.usage.in);
    count('tokens', { run, model, kind: 'out' }, answer.usage.out);
    count('cost', { run, model }, answer.costUsd);
  }
  count('steps', { run });
  gaugeAt('population', { run }, population);
  if (best !== null) gaugeAt('best', { run }, best.score);
  tell('info', 'step committed', { run, step, programs: programs.length, best: best?.score ?? null });
};
