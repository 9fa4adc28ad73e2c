// What the supervisor should keep running: written by `evolve up`, read by the supervisor at start and on SIGHUP.
import { createHash } from 'node:crypto';
import type { Health } from './health.ts';
import type { Parts } from './up-file.ts';

export type ChildPlan = {
  readonly name: string;
  /** Children of a stage start together, when all of the stages before are healthy; they stop in reverse. */
  readonly stage: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly port: number | null;
  readonly log: string;
  readonly health: Health;
  readonly stopTimeoutMs: number;
  readonly role: string;
};

export type Plan = {
  readonly id: string;
  readonly children: readonly ChildPlan[];
  readonly parts: Parts;
  /** Register of the shared Docker engine when an evolve home started it: it is then restarted if it dies. */
  readonly dockerRegister: string | null;
};

export const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** Changes when the process would be another one; `revision` stands for the code it runs. */
export const withRole = (child: Omit<ChildPlan, 'role'>, revision: string): ChildPlan =>
  ({ ...child, role: digest([child.file, child.args, Object.entries(child.env).sort(), child.port, revision]) });

export const makePlan = (plan: Omit<Plan, 'id'>): Plan => ({ ...plan, id: digest(plan) });
