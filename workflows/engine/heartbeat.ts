// The time without a sign of life after which an activity is taken for dead and given to another worker. It is a
// setting of the host that runs the workflows, so it is no part of the bundle, whose hash names its version: the worker
// writes it before the bundle that it loads. A replay compares no timeouts.

/** Heartbeats come every 3 s, and the rest is for the way. */
export const HEARTBEAT_SECONDS_OF_BUNDLE = 5;

const NAME = '__EVOLVE_HEARTBEAT_SECONDS__';

/** The text before a bundle, on its first line, so that no line of the source map moves. */
export const heartbeatPrelude = (seconds: number): string => `var ${NAME} = ${seconds};`;

const configured = (globalThis as { readonly [name: string]: unknown })[NAME];

export const HEARTBEAT_SECONDS = typeof configured === 'number' ? configured : HEARTBEAT_SECONDS_OF_BUNDLE;
