// Connection to the Docker engine named by DOCKER_HOST, for the set-up (deploy/image.ts).
import Docker from 'dockerode';

/** `undefined` means what dockerode means by it: DOCKER_HOST, else /var/run/docker.sock. */
export const connectEngine = (dockerHost: string | undefined): Docker => {
  if (dockerHost === undefined || dockerHost === '') return new Docker();
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });
  if (dockerHost.startsWith('/')) return new Docker({ socketPath: dockerHost });
  const url = new URL(dockerHost.replace(/^tcp:/, 'http:'));
  return new Docker({ host: url.hostname, port: url.port || '2375', protocol: url.protocol === 'https:' ? 'https' : 'http' });
};

/** The image's id, or null when the engine has no image of that name. Other failures throw. */
export const imageId = async (docker: Docker, name: string): Promise<string | null> => {
  try {
    return (await docker.getImage(name).inspect()).Id;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
};

/** Waits for the end of a pull, build or load and throws the first error it reports. */
export const followProgress = async (docker: Docker, stream: NodeJS.ReadableStream): Promise<void> => {
  const events = await new Promise<readonly { error?: string }[]>((resolve, reject) =>
    docker.modem.followProgress(stream, (error: Error | null, output: unknown) =>
      error ? reject(error) : resolve(output as readonly { error?: string }[])));
  const failed = events.find(event => event.error !== undefined);
  if (failed?.error !== undefined) throw new Error(failed.error);
};
