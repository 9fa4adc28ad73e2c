// Whether a run's workflow is open, for the activities of sweeps.
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { runWorkflowId } from '../evolution/ids.ts';
import type { Engine } from './connect.ts';

export const isRunOpen = ({ connection, namespace }: Engine): ((run: string) => Promise<boolean>) => {
  const client = new Client({ connection, namespace });
  return async (run) => {
    try {
      const { name } = (await client.workflow.getHandle(runWorkflowId(run)).describe()).status;
      return name === 'RUNNING' || name === 'PAUSED';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
};
