import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../../deploy/parts/free-port.ts';
import { choosePorts, isFree, releaseReservations, type Ports } from '../../../deploy/parts/ports.ts';
import { scratchDirectory } from '../scratch.ts';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

const listen = async (): Promise<{ port: number; server: Server }> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as { port: number }).port, server };
};

const freePort = async (): Promise<number> => {
  const { port, server } = await listen();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const freeDefaults = async (): Promise<Ports> => {
  const ports = new Set<number>();
  while (ports.size < 6) ports.add(await freePort());
  const [temporal, ui, metrics, mongo, trainer, page] = [...ports] as [
    ...[number, number, number],
    ...[number, number, number],
  ];
  return { temporal, ui, metrics, mongo, trainer, page };
};

const choose = async (options: Omit<Parameters<typeof choosePorts>[0], 'env'>): Promise<Ports> => {
  const ports = await choosePorts({ env: {}, ...options });
  onTestFinished(() => releaseReservations(ports));
  return ports;
};

describe('ports', () => {
  it('takes the defaults when they are free', async () => {
    const defaults = await freeDefaults();
    expect(await choose({ remembered: {}, held: new Set(), defaults })).toEqual(defaults);
  });

  it('takes a free one for each default that another process has, all different', async () => {
    const [defaults, taken] = [await freeDefaults(), await listen()];
    const ports = await choose({ remembered: {}, held: new Set(), defaults: { ...defaults, temporal: taken.port } });
    expect(ports.temporal).not.toBe(taken.port);
    expect(new Set(Object.values(ports)).size).toBe(6);
    expect(await isFree(ports.temporal)).toBe(true);
  });

  it('takes none that the system may give to an outgoing connection in the meantime', async () => {
    const range = existsSync(RANGE) ? readFileSync(RANGE, 'utf8').trim().split(/\s+/).map(Number) : null;
    if (range === null || range[0]! < 16_000) return;
    for (let i = 0; i < 20; i += 1) expect(await findFreePort()).toBeLessThan(range[0]!);
    expect(await findFreePort(() => false)).toBeNull();
  });

  it('prefers the port of the last start, so that links stay valid', async () => {
    const [defaults, remembered] = [await freeDefaults(), await freePort()];
    expect((await choose({ remembered: { ui: remembered }, held: new Set(), defaults })).ui).toBe(remembered);
  });

  it('keeps a port that our own living process holds', async () => {
    const [defaults, ours] = [await freeDefaults(), await listen()];
    expect((await choose({ remembered: { mongo: ours.port }, held: new Set([ours.port]), defaults })).mongo).toBe(
      ours.port,
    );
  });

  // Attempt: files, settings and the machine.
  it('refuses a forced port that is taken or is none, naming the setting', async () => {
    const [defaults, taken] = [await freeDefaults(), await listen()];
    const ask = (text: string): Promise<Ports> =>
      choosePorts({ remembered: {}, held: new Set(), defaults, env: { EVOLVE_UI_PORT: text } });
    await expect(ask(String(taken.port))).rejects.toThrow(/EVOLVE_UI_PORT.*taken by another process/);
    for (const text of ['http', '99999', '80', '-1', '1e4', '8080.5', '0x1f90'])
      await expect(ask(text)).rejects.toThrow('EVOLVE_UI_PORT: expected a port from 1024 to 65535, got');
  });

  // Attempt: files, settings and the machine.
  it('writes nothing through a link that somebody put where reservations are kept', async () => {
    const shared = scratchDirectory();
    const elsewhere = join(shared, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(shared, `evolve-ports-${process.getuid?.() ?? 0}`));
    vi.stubEnv('TMPDIR', shared);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const defaults = await freeDefaults();
    await expect(choosePorts({ remembered: {}, held: new Set(), env: {}, defaults })).rejects.toThrow(
      /evolve-ports-\d+ is not a folder of this user's own/,
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
