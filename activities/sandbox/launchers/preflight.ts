// Refuses to start where the engine would silently drop limits, or where the seccomp profile would not hold.
import type Docker from 'dockerode';
import type { OciRuntime } from '../../../evolution/types.ts';
import { InfrastructureError } from '../contract/types.ts';
import { infrastructure, statusOf } from './docker-connection.ts';
import { type EngineRuntime, engineRuntime, runtimeMissing } from './runtimes.ts';

export type Engine = {
  readonly cgroupDriver: string;
  readonly cgroupVersion: string;
  readonly version: string;
  readonly imageId: string;
  /** Undefined where the engine's default is taken. */
  readonly runtime: EngineRuntime | undefined;
};

const LIMITS = ['MemoryLimit', 'SwapLimit', 'PidsLimit', 'CpuCfsQuota'] as const;

const inspectImage = async (docker: Docker, image: string): Promise<string> => {
  try {
    return (await docker.getImage(image).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404)
      throw new InfrastructureError(
        `the Docker engine has no image ${image}: run \`npm start\` or \`evolve up\` to build it, or set EVOLVE_IMAGE`,
      );
    throw infrastructure(`inspecting image ${image}`, error);
  }
};

/** Reads what the engine can enforce; throws InfrastructureError naming what it lacks. */
export const preflight = async (docker: Docker, image: string, kind: OciRuntime = 'engine'): Promise<Engine> => {
  const info = (await docker.info().catch((error: unknown) => {
    throw infrastructure('connecting', error);
  })) as Record<string, unknown>;
  const lacking = LIMITS.filter((limit) => info[limit] !== true);
  if (lacking.length > 0) {
    throw new InfrastructureError(
      `the Docker engine cannot enforce ${lacking.join(', ')}: candidates would run without these limits. Enable the cgroup controllers memory, pids and cpu (swap accounting: swapaccount=1), or delegate them to a rootless engine`,
    );
  }
  const listed = Object.keys((info['Runtimes'] as object | undefined) ?? {});
  const runtime = kind === 'engine' ? undefined : engineRuntime(kind, listed);
  if (kind !== 'engine' && !runtime) throw new InfrastructureError(runtimeMissing(kind, listed));
  return {
    cgroupDriver: String(info['CgroupDriver'] ?? ''),
    cgroupVersion: String(info['CgroupVersion'] ?? '1'),
    version: String(info['ServerVersion'] ?? ''),
    imageId: await inspectImage(docker, image),
    runtime: runtime ?? undefined,
  };
};

/**
 * Creates sockets and connects none. AF_VSOCK (40) leads out of a virtual machine, so it must be refused with EPERM.
 */
export const SOCKET_SELF_TEST = `
import socket
for family in (40, socket.AF_INET, socket.AF_NETLINK):
    try:
        socket.socket(family, socket.SOCK_STREAM if family != socket.AF_NETLINK else socket.SOCK_RAW)
    except PermissionError:
        continue
    except OSError as error:
        print(f"family {family}: expected EPERM, got {error}")
        raise SystemExit(3)
    print(f"family {family}: a socket was made")
    raise SystemExit(3)
`;
