// Settings that cannot work together, as the rules report them.

/** `keys`: the settings involved, the one to change first. */
export type Clash = { readonly keys: readonly string[]; readonly message: string };
