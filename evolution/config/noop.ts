// `evaluation.sandbox: noop` calls every program valid, for benches of the engine. It exists only in processes started
// with EVOLVE_ALLOW_NOOP=1.
let allowed = false;
let evaluationMs = 0;

/** To be said once, at the start of a process. */
export const allowNoop = (env: { readonly [name: string]: string | undefined }): void => {
  allowed = env['EVOLVE_ALLOW_NOOP'] === '1';
  evaluationMs = allowed ? Number(env['EVOLVE_NOOP_MS'] ?? 0) : 0;
};

export const isNoopAllowed = (): boolean => allowed;

/** For so long an evaluation that runs nothing holds its slot, so that a bench of hosts has something to share out. */
export const noopMs = (): number => evaluationMs;

/** True where nothing was run. Such scores are marked, compared with none, and end no run. */
export const inventsScores = ({ evaluation }: { readonly evaluation: { readonly sandbox: string } }): boolean =>
  evaluation.sandbox === 'noop';

/** The words beside an invented score. */
export const INVENTED = 'invented: with evaluation.sandbox noop no program was run';
