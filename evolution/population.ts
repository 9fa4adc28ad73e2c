// The population in memory (stub: the real shape is defined here).
export type Population = unknown;
