// What a burst of answers left behind goes back to the machine. V8 keeps the pages that it emptied, and collects what
// nobody uses any more only when much more has been asked for; the server would stay at the size of its busiest moment.

const EVERY_MS = 30_000;
/** Less is not worth the 30 ms that it takes. */
const GROWN_BYTES = 6e6;

/** Does nothing where Node was started without `--expose-gc`. */
export const giveBackMemory = (): void => {
  const { gc } = globalThis;
  if (gc === undefined) return;
  let least = process.memoryUsage.rss();
  setInterval(() => {
    least = Math.min(least, process.memoryUsage.rss());
    if (process.memoryUsage.rss() - least < GROWN_BYTES) return;
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    least = process.memoryUsage.rss();
  }, EVERY_MS).unref();
};
