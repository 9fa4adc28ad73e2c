// The workflow of a run opens the run as its start object asks.
import { workflowInfo } from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { Json } from '../../evolution/types.ts';
import { urgent } from '../engine/proxies.ts';
import type { RunInput } from '../messages/run-input.ts';

export const openRun = (input: RunInput, owner: string): Promise<RunBrief> => {
  const { run, config, taskSnapshot, rewind, extend, patch, fork, sweep, carry } = input;
  return urgent.openRun.executeWithOptions({ summary: openingLine(input) }, [
    {
      run,
      owner,
      start: workflowInfo().firstExecutionRunId,
      config,
      taskSnapshot,
      ...(carry?.paused ? { paused: true } : {}),
      rewind: rewind && { toStep: rewind.toStep, resample: rewind.resample === true, by: rewind.by },
      extend: extend as Json | undefined,
      patch,
      fork,
      sweep,
    },
  ]);
};

const openingLine = ({ run, rewind, extend, patch, fork }: RunInput): string => {
  if (rewind) return `rewind run ${run} to step ${rewind.toStep}`;
  if (fork) return `begin run ${run} after step ${fork.atStep} of run ${fork.from}`;
  if (extend) return `open run ${run} with new limits`;
  return patch ? `open run ${run} with other settings` : `open run ${run}`;
};
