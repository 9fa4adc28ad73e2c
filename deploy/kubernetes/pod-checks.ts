// Checks that a pod confines its programs, and how much it may have. The template of a pool belongs to whoever runs the
// cluster, so each pod is looked at before a program is sent there.
import type { OciRuntime } from '../../evolution/types.ts';
import type { ConfinedLimits } from '../../activities/sandbox/contract/confined.ts';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import type { Pod, PodContainer } from './api.ts';

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io';
const TEMPLATE = 'deploy/kubernetes/agent-sandbox.yaml has a template with all of it';

/**
 * Volumes that are made with the pod or hold what programs are made of. All others show a program what is not its own
 * (secrets, also by a driver, or the host), or keep for the next program what this one has left there.
 */
const OWN: readonly string[] = ['emptyDir', 'ephemeral', 'image', 'configMap'];
const isOwn = (volume: object): boolean => Object.keys(volume).every((key) => key === 'name' || OWN.includes(key));
const mounted = ({ volumes = [] }: Pod['spec'], { volumeMounts = [] }: PodContainer): readonly object[] =>
  volumes.filter(({ name }) => volumeMounts.some((mount) => mount.name === name));

/** The rules that the template of the pool lacks. */
const missing = ({ spec }: Pod, container: PodContainer): readonly string[] => {
  const context = { ...spec.securityContext, ...container.securityContext };
  const { capabilities = {} } = context;
  const rules: readonly (readonly [holds: boolean, says: string])[] = [
    [context.privileged !== true, 'privileged: false'],
    [context.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation: false'],
    [context.readOnlyRootFilesystem === true, 'readOnlyRootFilesystem: true'],
    [context.runAsUser === undefined ? context.runAsNonRoot === true : context.runAsUser > 0, 'runAsUser above 0'],
    [capabilities.drop?.includes('ALL') === true && (capabilities.add ?? []).length === 0, 'capabilities.drop: [ALL]'],
    [/^(RuntimeDefault|Localhost)$/.test(context.seccompProfile?.type ?? ''), 'seccompProfile'],
    [!(spec.hostNetwork || spec.hostPID || spec.hostIPC), 'no namespace of the host'],
    [spec.shareProcessNamespace !== true, 'no processes of other containers'],
    [(context.procMount ?? 'Default') === 'Default', 'procMount: Default'],
    [
      !(container.volumeMounts ?? []).some(({ mountPath }) => mountPath.startsWith(TOKEN_FOLDER)),
      'automountServiceAccountToken: false',
    ],
    [
      mounted(spec, container).every(isOwn) && (container.volumeDevices ?? []).length === 0,
      'no volume of host or secrets, and none that outlives the pod',
    ],
    [
      (container.envFrom ?? []).length === 0 && !(container.env ?? []).some(({ valueFrom }) => valueFrom !== undefined),
      'no environment from secrets',
    ],
    [quantity(container.resources?.limits?.['memory']) !== null, 'resources.limits.memory'],
    [quantity(container.resources?.limits?.['cpu']) !== null, 'resources.limits.cpu'],
  ];
  return rules.flatMap(([holds, says]) => (holds ? [] : [says]));
};

const UNITS: { readonly [unit: string]: number } = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A quantity as Kubernetes writes it (500m, 1, 2Gi); null where it is none. */
export const quantity = (text: string | number | undefined): number | null => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(String(text ?? '')) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  return number === undefined || factor === undefined ? null : Number(number) * factor;
};

/** Handlers of runtime classes under the names that their own instructions give them. */
const CLASSES: { readonly [runtime in Exclude<OciRuntime, 'engine'>]: RegExp } = {
  runc: /^runc$/,
  runsc: /^(gvisor|runsc)/,
  kata: /^kata/,
};

type Confining = { readonly container: PodContainer; readonly memoryBytes: number };

/**
 * The container of the pod and its memory. Throws InfrastructureError where the pod confines less than is needed, or has
 * less than the program may use. `limits` is null for trusted programs, which take what there is.
 */
export const confining = (
  pod: Pod,
  options: {
    readonly pool: string;
    readonly container: string | null;
    readonly runtime: OciRuntime;
    readonly limits: ConfinedLimits | null;
  },
): Confining => {
  const { pool, runtime, limits } = options;
  const refuse = (message: string): InfrastructureError =>
    new InfrastructureError(`the pods of the SandboxWarmPool ${pool}: ${message}`);
  const { containers, runtimeClassName } = pod.spec;
  const container = containers.find(({ name }) => options.container === null || name === options.container);
  if (container === undefined)
    throw refuse(
      `expected a container ${options.container}, got ${containers.map(({ name }) => name).join(', ')}: set EVOLVE_K8S_CONTAINER`,
    );
  const lacking = missing(pod, container);
  if (lacking.length > 0)
    throw refuse(`expected a SandboxTemplate that says ${lacking.join(', ')}, got one that does not: ${TEMPLATE}`);
  if (runtime !== 'engine' && !CLASSES[runtime].test(runtimeClassName ?? 'runc'))
    throw refuse(
      `evaluation.runtime: expected ${runtime}, got pods with runtimeClassName ${runtimeClassName ?? 'left out'}: set it in the SandboxTemplate`,
    );
  const [memoryBytes, cores] = [
    quantity(container.resources?.limits?.['memory']),
    quantity(container.resources?.limits?.['cpu']),
  ];
  const need = (what: string, has: number, wanted: number): void => {
    if (has < wanted)
      throw refuse(
        `expected resources.limits.${what} of at least ${wanted}, which the task lets its programs use, got ${has}: raise it in the SandboxTemplate`,
      );
  };
  if (limits !== null) {
    need('memory', memoryBytes!, limits.memoryBytes);
    need('cpu', cores!, limits.cores ?? 1);
  }
  return { container, memoryBytes: memoryBytes! };
};
