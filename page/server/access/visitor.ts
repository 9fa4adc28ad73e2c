// The visitor of a request, by the address that it comes from. Limits for each visitor go by it.
import type { Context } from 'hono';
import { isIP, isIPv6 } from 'node:net';

/** The connection of a request, which `serve.ts` hands to the app. */
export type Connected = {
  readonly address: string | undefined;
  /** `then` is called when the connection has ended, or the answer has. */
  readonly whenGone: (then: () => void) => void;
};

const connectedOf = (c: Context): Partial<Connected> => (c.env as Partial<Connected> | undefined) ?? {};

/** Calls `then` when the visitor has gone, so that nothing goes on that nobody waits for. */
export const whenGone = (c: Context, then: () => void): void => connectedOf(c).whenGone?.(then);

const LOOPBACK = '127.0.0.1';

/** An IPv4 address as it is, and the first 64 bits of an IPv6 address, because one customer has all below them. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (address === '::1') return LOOPBACK;
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [left, right ?? ''].map((text) => text.split(':').filter((group) => group !== ''));
  const missing = right === undefined ? 0 : Math.max(0, 8 - first!.length - last!.length);
  const groups = [...first!, ...Array<string>(missing).fill('0'), ...last!];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};

export type Visitor = {
  /** The other end of the connection. */
  readonly peer: string;
  /**
   * The address that a proxy on this machine names last in `X-Forwarded-For`, otherwise the peer.
   * Only this machine is believed, and the last address only, because the sender of a request may write all others.
   */
  readonly address: string;
};

export const visitorOf = (c: Context): Visitor => {
  const peer = networkOf(connectedOf(c).address ?? LOOPBACK);
  const named = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return { peer, address: peer.startsWith('127.') && isIP(named) !== 0 ? networkOf(named) : peer };
};
