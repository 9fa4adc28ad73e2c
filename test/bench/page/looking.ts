// What both parts of the bench measure in a browser: bytes that came over the wire, memory of a page and its worker.
import type { CDPSession, Page } from 'playwright-core';

export type Meter = {
  /** Bytes that came since the last call, headers included. */
  wireBytes(): number;
  /** Heap and buffers of the page and of its workers, after garbage was collected. */
  memoryMB(): Promise<number>;
};

type Usage = { readonly usedSize: number; readonly backingStorageSize?: number };
const bytesOf = ({ usedSize, backingStorageSize = 0 }: Usage): number => usedSize + backingStorageSize;

export const meterOf = async (page: Page): Promise<Meter> => {
  const session: CDPSession = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  session.on('Network.dataReceived', () => undefined);
  await session.send('Network.enable');
  return {
    wireBytes() {
      const since = bytes;
      bytes = 0;
      return since;
    },
    async memoryMB() {
      await session.send('HeapProfiler.collectGarbage');
      const own = bytesOf((await session.send('Runtime.getHeapUsage')) as Usage);
      // A worker has a heap of its own, which tells what it uses itself.
      const workers = await Promise.all(
        page
          .workers()
          .map((worker) =>
            worker.evaluate<number>('performance.memory ? performance.memory.usedJSHeapSize : 0').catch(() => 0),
          ),
      );
      return (own + workers.reduce((sum, one) => sum + one, 0)) / 1e6;
    },
  };
};

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));
