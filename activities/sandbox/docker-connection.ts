// Connection to the Docker engine of the evaluation worker, and what its errors mean. Used by every docker-* file here.
import Docker from 'dockerode';
import { InfrastructureError } from './types.ts';

export const connectDocker = (dockerHost: string | undefined): Docker => {
  if (dockerHost === undefined || dockerHost === '') return new Docker();
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });
  if (dockerHost.startsWith('/')) return new Docker({ socketPath: dockerHost });
  const url = new URL(dockerHost.replace(/^tcp:/, 'http:'));
  return new Docker({ host: url.hostname, port: url.port || '2375', protocol: url.protocol === 'https:' ? 'https' : 'http' });
};

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number } | null)?.statusCode;

/** Every failure of the engine's API is infrastructure: it says nothing about a program. */
export const infrastructure = (doing: string, error: unknown): InfrastructureError => {
  if (error instanceof InfrastructureError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new InfrastructureError(`Docker engine failed while ${doing}: ${message}`, { cause: error });
};

/** An engine that accepts and says nothing for so long is taken for gone: else an evaluation would wait without end. */
export const ANSWER_MS = 45_000;

/** The engine's answer; an InfrastructureError when it does not come in time. What it does late is found by its labels (reaper.ts). */
export const answered = async <T>(doing: string, call: Promise<T>, limitMs = ANSWER_MS): Promise<T> => {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new InfrastructureError(`Docker engine gave no answer within ${limitMs / 1000} s while ${doing}`)), limitMs);
  try { return await Promise.race([call, silence]); } finally { clearTimeout(timer); }
};

/** Kills and removes a container; one that is gone already is fine. Other failures throw. */
export const removeContainer = async (docker: Docker, id: string): Promise<void> => {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    // 409: its removal is already in progress.
    if (status !== 404 && status !== 409) throw error;
  }
};
