// A nearly full disk parks runs before anything is torn. Before each activity a worker looks how much room the data
// directory has; an activity that would write fails with the type NoSpace, is not tried at once again, and its phase
// parks. A parked phase tries again by itself, so the run goes on when there is room.
import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInterceptorsFactory, Next } from '@temporalio/worker';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { type LeastFree, shortage, type Space, spaceOf } from '../../deploy/host/space.ts';
import { causesOf } from '../../evolution/root-cause.ts';

/** The shortest time between two looks at the disk. */
const LOOK_EVERY_MS = 1_000;
/** They write a few bytes, with which a person is told why the run stands still, or let go what holds room. */
const ALWAYS: ReadonlySet<string> = new Set(['markRun', 'markSweep']);

type Disk = {
  readonly directory: string;
  readonly least: LeastFree;
  readonly look?: (directory: string) => Promise<Space>;
};

export const sparingDisk = ({ directory, least, look = spaceOf }: Disk): ActivityInterceptorsFactory => {
  let [at, looking]: [number, Promise<string | null>] = [-Infinity, Promise.resolve(null)];
  const short = (): Promise<string | null> => {
    if (performance.now() - at >= LOOK_EVERY_MS) {
      at = performance.now();
      // A disk that cannot be asked is left to those who write to it.
      looking = look(directory).then(
        (space) => shortage(directory, space, least),
        () => null,
      );
    }
    return looking;
  };
  return ({ info }) => ({
    inbound: {
      async execute(
        input: ActivityExecuteInput,
        next: Next<ActivityInboundCallsInterceptor, 'execute'>,
      ): Promise<unknown> {
        const why = ALWAYS.has(info.activityType) ? null : await short();
        if (why !== null) throw noSpace(why);
        try {
          return await next(input);
        } catch (error) {
          const full = fullDisk(error);
          throw full === null ? error : noSpace(`${full}: make room there`, error);
        }
      },
    },
  });
};

const noSpace = (message: string, cause?: unknown): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: 'NoSpace',
    nonRetryable: true,
    ...(cause instanceof Error ? { cause } : {}),
  });

/** MongoDB's OutOfDiskSpace. */
const OUT_OF_DISK = 14_031;
const SAYS_FULL = /no space left on device|ENOSPC|disk quota exceeded/i;

/** The disk that an error calls full, which may be that of a server on another machine; null for all other errors. */
const fullDisk = (error: unknown): string | null => {
  const full = causesOf(error).find((cause) => {
    const { code } = cause as { readonly code?: unknown };
    return code === 'ENOSPC' || code === 'EDQUOT' || code === OUT_OF_DISK || SAYS_FULL.test(cause.message);
  });
  if (full === undefined) return null;
  const whose = full.name.startsWith('Mongo') ? 'the disk of the database is full' : 'a disk is full';
  return `${whose} (${full.message.slice(0, 300)})`;
};
