// Named sets of packages for programs; their locks are in tasks/packages.

/** Named sets of packages that a task or a run may choose, by what is asked for. Their locks ship with us. */
export const PACKAGE_SETS = {
  /** What CodeEvolve's requests offer (Appendix D), as far as it has wheels. */
  science: 'jax networkx numba ortools pandas scikit-learn shapely sympy torch'.split(' '),
} as const satisfies { readonly [name: string]: readonly string[] };
export type PackageSet = keyof typeof PACKAGE_SETS;
export const PACKAGE_SET_NAMES = Object.keys(PACKAGE_SETS) as [PackageSet, ...PackageSet[]];
