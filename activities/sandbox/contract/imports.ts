// The modules that a process has imported before it gets its program, because importing scipy costs 330 ms of CPU.

/** Nothing, numpy, or numpy and scipy. Looks at each line by itself, so that the time grows with the length alone. */
export const modulesOf = (code: string): readonly string[] => {
  const imports = code.split('\n').flatMap((line) => (/^\s*(?:import|from)\s/.test(line) ? line.split('#', 1) : []));
  const names = (module: RegExp): boolean => imports.some((line) => module.test(line));
  return names(/\bscipy\b/) ? ['numpy', 'scipy.optimize'] : names(/\bnumpy\b/) ? ['numpy'] : [];
};
