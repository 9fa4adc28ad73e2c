// The floor of the sandbox bench: what one hardened container costs when nothing but Docker is in the way. The same
// image and options, the program by stdin, its output read to the end, then removed. No pool, no runner, no frames,
// no gate, no scorer.
import type { Duplex } from 'node:stream';
import { containerOptions } from '../../../activities/sandbox/launchers/container-options.ts';
import { connectDocker } from '../../../activities/sandbox/launchers/docker-connection.ts';
import type { TaskLimits } from '../../../evolution/task.ts';

const SOURCE = 'import sys\nspace = {}\nexec(sys.stdin.read(), space)\nprint(space["construct"]({"n": 26}))';

export const bareDocker = ({
  dockerHost,
  image,
  home,
  limits,
}: {
  dockerHost: string | undefined;
  image: string;
  home: string;
  limits: TaskLimits;
}) => {
  const docker = connectDocker(dockerHost);
  const options = containerOptions({
    spec: {
      source: SOURCE,
      args: [],
      limits,
      run: 'bench',
      activity: 'floor',
      deadline: new Date(Date.now() + 3_600_000),
      onStdout: () => undefined,
      onStderr: () => undefined,
    },
    image,
    labels: { home, owner: `${process.pid}-0` },
    cgroupParent: '',
  });
  return async (code: string): Promise<void> => {
    const container = await docker.createContainer(options);
    try {
      const stream = await (container.attach({
        stream: true,
        stdin: true,
        stdout: true,
        stderr: true,
        hijack: true,
      }) as unknown as Promise<Duplex>);
      let bytes = 0;
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      const over = new Promise<void>((resolve) => {
        stream.once('end', resolve);
      });
      await container.start();
      stream.end(code);
      await over;
      const { StatusCode } = (await container.wait()) as { StatusCode: number };
      if (StatusCode !== 0 || bytes === 0)
        throw new Error(`the floor's container ended with ${StatusCode} and ${bytes} bytes`);
    } finally {
      await container.remove({ force: true, v: true });
    }
  };
};
