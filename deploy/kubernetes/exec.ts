// One command in a container of a pod, its streams carried by a WebSocket (Kubernetes' protocol v5.channel.k8s.io): the
// first byte of each message is its channel.
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import { ANSWER_MS, type ClusterApi } from './api.ts';

const PROTOCOL = 'v5.channel.k8s.io';
const [STDIN, STDOUT, STDERR, STATUS, CLOSE] = [0, 1, 2, 3, 255];
/** Larger messages are cut, because servers between here and the pod may have limits. */
const MESSAGE_BYTES = 32 * 1024;

/** `failed`: nothing is known of the command, for example because the container or the connection went away. */
export type ExecEnding =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'failed'; readonly why: string };

export type Exec = {
  send(bytes: Buffer): void;
  closeInput(): void;
  /** Ends the connection. The command goes on: only the end of its pod ends it for certain. */
  close(): void;
  readonly ended: Promise<ExecEnding>;
};

type Status = {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
};

const endingIn = (text: string): ExecEnding => {
  try {
    const { status, reason, message = text.slice(0, 300), details } = JSON.parse(text) as Status;
    if (status === 'Success') return { kind: 'exit', code: 0 };
    const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message ?? '';
    if (reason === 'NonZeroExitCode' && /^\d{1,3}$/.test(code)) return { kind: 'exit', code: Number(code) };
    return { kind: 'failed', why: message };
  } catch {
    return { kind: 'failed', why: `the cluster ended it with a status that cannot be read: ${text.slice(0, 100)}` };
  }
};

type Command = {
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
};

/** Resolves when the command has its streams. Throws InfrastructureError. */
export const openExec = async (api: ClusterApi, options: Command): Promise<Exec> => {
  const url = api.exec(options.pod);
  for (const [name, value] of Object.entries({
    container: options.container,
    stdin: 'true',
    stdout: 'true',
    stderr: 'true',
  }))
    url.searchParams.set(name, value);
  for (const part of options.command) url.searchParams.append('command', part);
  const plain = new URL(url);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(url, {
    protocols: PROTOCOL,
    dispatcher: api.dispatcher,
    headers: await api.headers(),
  });
  socket.binaryType = 'arraybuffer';
  const { promise: ended, resolve: end } = Promise.withResolvers<ExecEnding>();
  const opened = Promise.withResolvers<boolean>();
  let why = 'the connection to its pod ended';
  let closed = false;
  socket.addEventListener('open', () => opened.resolve(true));
  socket.addEventListener('error', (event) => {
    if (event.message) why = `the connection to its pod failed: ${event.message}`;
  });
  socket.addEventListener('close', () => {
    opened.resolve(false);
    end({ kind: 'failed', why });
  });
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
    if (closed || !(data instanceof ArrayBuffer) || data.byteLength === 0) return;
    const [channel] = new Uint8Array(data, 0, 1);
    const payload = Buffer.from(data, 1);
    if (channel === STATUS && payload.length > 0) end(endingIn(payload.toString('utf8')));
    else if (payload.length === 0) return;
    else if (channel === STDOUT) options.onStdout(payload);
    else if (channel === STDERR) options.onStderr(payload);
  });
  const silence = new AbortController();
  const silent = sleep(ANSWER_MS, 'silent' as const, { ref: false, signal: silence.signal }).catch(() => false);
  const open = await Promise.race([opened.promise, silent]);
  silence.abort();
  if (open === 'silent') {
    socket.close();
    throw new InfrastructureError(
      `the Kubernetes API took a command for the pod ${options.pod} and said nothing for ${ANSWER_MS / 1000} s`,
    );
  }
  if (!open) throw await refusalOf(api, plain, why);
  const write = (channel: number, bytes: Buffer): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  };
  return {
    send: (bytes) => {
      for (let at = 0; at < bytes.length; at += MESSAGE_BYTES) write(STDIN!, bytes.subarray(at, at + MESSAGE_BYTES));
    },
    closeInput: () => write(CLOSE!, Buffer.of(STDIN!)),
    close: () => {
      closed = true;
      socket.close();
    },
    ended,
  };
};

/** A WebSocket that is refused does not say why. The same request without the upgrade does, and it runs nothing. */
const refusalOf = async (api: ClusterApi, url: URL, why: string): Promise<InfrastructureError> => {
  try {
    await api.ask('running a command in a pod', url);
  } catch (error) {
    const { status } = error as { status?: number | null };
    // 400 is the answer to a request that asks for no upgrade.
    if (error instanceof InfrastructureError && status !== 400) return error;
  }
  return new InfrastructureError(
    `the Kubernetes API did not run a command in a pod by the protocol ${PROTOCOL}: ${why}; it needs Kubernetes 1.30 or newer`,
  );
};
