// OCI runtimes as a container engine lists them. Which of them a run gets is a setting (`evaluation.runtime`).
import type { OciRuntime } from '../../../evolution/types.ts';

export type NamedRuntime = Exclude<OciRuntime, 'engine'>;

/** `name` is the engine's own, which differs from machine to machine. */
export type EngineRuntime = { readonly kind: NamedRuntime; readonly name: string };

/** Under these names their own instructions register them. */
const NAMES: { readonly [runtime in NamedRuntime]: readonly string[] } = {
  runc: ['runc'],
  runsc: ['runsc', 'gvisor', 'io.containerd.runsc.v1'],
  kata: ['kata', 'kata-runtime', 'kata-qemu', 'kata-clh', 'io.containerd.kata.v2'],
};

/** Instructions to add the runtime to an engine that is not ours. */
const ADD: { readonly [runtime in NamedRuntime]: string } = {
  runc: 'install runc and name it in `runtimes` of /etc/docker/daemon.json',
  runsc:
    'with an engine that `evolve up` started, run `npx evolve up --runtime runsc`; otherwise add {"runtimes": {"runsc": {"path": "<path of runsc>", "runtimeArgs": ["--platform=systrap", "--network=none", "--oci-seccomp"]}}} to /etc/docker/daemon.json and reload the engine',
  kata: 'install Kata Containers and name its shim in `runtimes` of /etc/docker/daemon.json (it needs /dev/kvm)',
};

/** Null where the engine has no runtime of this kind under any name that we know. */
export const engineRuntime = (kind: NamedRuntime, listed: readonly string[]): EngineRuntime | null => {
  const name = NAMES[kind].find((one) => listed.includes(one));
  return name === undefined ? null : { kind, name };
};

/** The message about a runtime that the engine lacks, with how to add it. */
export const runtimeMissing = (kind: NamedRuntime, listed: readonly string[]): string =>
  `evaluation.runtime: expected a runtime that the Docker engine has (${[...listed].sort().join(', ') || 'it lists none'}), got ${kind}: ${ADD[kind]}`;
