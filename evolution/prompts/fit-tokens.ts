// The longest prompt that a limit allows: programs are dropped whole, last first; no text is ever cut (`prompt.maxTokens`). Called by the prompts
// of `theta` and `openevolve`.

/** Estimated. */
const CHARACTERS_PER_TOKEN = 4;

/** `build` with as many of the programs, from the first, as the limit allows; with none where even that is too long. Null: no limit. */
export const fitTokens = <P, T extends { readonly system: string; readonly user: string }>(
  programs: readonly P[], maxTokens: number | null, build: (programs: readonly P[]) => T,
): T => {
  for (let count = programs.length; ; count--) {
    const built = build(programs.slice(0, count));
    if (count === 0 || maxTokens === null || Math.ceil((built.system.length + built.user.length) / CHARACTERS_PER_TOKEN) <= maxTokens) return built;
  }
};
