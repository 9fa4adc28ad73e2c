// `evaluation.sandbox: noop` runs nothing and calls every program valid: a bench measures the engine with it, in
// processes that it starts with EVOLVE_ALLOW_NOOP=1. For all others there is no such level, and no document names it.
let allowed = false;

/** Said once, by what a process begins with. */
export const allowNoop = (env: { readonly [name: string]: string | undefined }): void => {
  allowed = env['EVOLVE_ALLOW_NOOP'] === '1';
};

export const isNoopAllowed = (): boolean => allowed;
