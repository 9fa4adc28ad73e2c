// Is loaded before everything else in a worker process and in the SDK's thread that runs its workflows (--import). That
// thread makes a stack trace for each promise, so that the query `__stack_trace` can answer, and these took nearly half
// of its CPU time. The SDK goes on without them where Node has no promise hooks, and then refuses that query.
import { isMainThread } from 'node:worker_threads';
import v8 from 'node:v8';

if (!isMainThread)
  Object.assign(v8.promiseHooks, {
    createHook: () => {
      throw new Error('a worker makes no stack traces of promises');
    },
  });
