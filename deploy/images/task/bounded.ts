// Runs a command or a build of somebody else's packages within bounds: it ends in time, and before it fills the disk.
import { spaceOf } from '../../host/space.ts';

const LEAST_FREE = 1024 ** 3;
const LOOK_MS = 500;

type Bounds = {
  readonly what: string;
  /** Their disks must keep `least` bytes free. */
  readonly folders: readonly string[];
  readonly minutes: number;
  readonly least?: number;
};

/**
 * `work` gets a signal that ends it. Throws, with what to do, where it takes longer than `minutes`, or where a disk
 * of `folders` is nearly full.
 */
export const bounded = async <T>(
  { what, folders, minutes, least = LEAST_FREE }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const look = async (): Promise<void> => {
    for (const folder of folders)
      if ((await spaceOf(folder)).free < least)
        controller.abort(new Error(`${what} fills the disk of ${folder}: make room for it, or ask for less`));
  };
  await look();
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  const late = setTimeout(
    () => controller.abort(new Error(`${what} did not end within ${minutes} minutes: look what it waits for`)),
    minutes * 60_000,
  );
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const onAbort = (): void => reject(controller.signal.reason);
  controller.signal.addEventListener('abort', onAbort, { once: true });
  try {
    controller.signal.throwIfAborted();
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearInterval(timer);
    clearTimeout(late);
  }
};
