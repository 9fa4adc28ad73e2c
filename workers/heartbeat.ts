// Every activity says that its worker is alive, so that work of a killed worker is noticed within the heartbeat timeout.
import type { ActivityInboundCallsInterceptor, Next, ActivityExecuteInput } from '@temporalio/worker';
import { Context } from '@temporalio/activity';

/** Below 0.8 x the shortest heartbeat timeout (5 s), to which the SDK throttles anyway; activities shorter than this send none. */
const INTERVAL_MS = 3_000;

export const heartbeating = (context: Context): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
      const timer = setInterval(() => context.heartbeat(), INTERVAL_MS);
      try { return await next(input); } finally { clearInterval(timer); }
    },
  },
});
