// The candidate's seccomp profile, an allow-list (docs/security.md): as the Docker API takes it, and compiled to a
// classic BPF program for bubblewrap (x86-64 only). Both come from the same rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The CLONE_NEW* bits and CLONE_PARENT: no new namespace may be made, and no child for somebody else. */
const CLONE_REFUSED = 0x7e028000;
/**
 * Calls that set the times of files. Device files are shared with later programs or with the host, so their times would
 * carry messages. No rule can name a file, and honest code (`shutil.copy2`) fails on a refusal: so these calls succeed
 * and do nothing.
 */
const TIME_SETTING = ['utime', 'utimes', 'futimesat', 'utimensat'] as const;
const EPERM = 1;
const NOTHING = 0;
const ENOSYS = 38;

const allowedCalls = (): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'seccomp-allowed.txt'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * The profile as the Docker API takes it. `clone3` answers ENOSYS so that the C library falls back to `clone`. `namespaces`
 * lets the parent of the level `fork` make them; each of its candidates gets `seccompFilter`. `gvisor`: gVisor refuses with EPERM whatever error a rule names. So what must
 * fail in another way, or succeed, is allowed there: namespaces and device files are its own, and never the host's.
 */
export const seccompProfile = ({
  namespaces = false,
  gvisor = false,
}: { readonly namespaces?: boolean; readonly gvisor?: boolean } = {}): string =>
  JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: ['SCMP_ARCH_X86_64'],
    syscalls: [
      { names: allowedCalls(), action: 'SCMP_ACT_ALLOW' },
      {
        names: ['clone'],
        action: 'SCMP_ACT_ALLOW',
        ...(namespaces ? {} : { args: [{ index: 0, value: CLONE_REFUSED, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] }),
      },
      ...(namespaces ? [{ names: ['unshare', 'setns', 'pidfd_open', 'mount'], action: 'SCMP_ACT_ALLOW' }] : []),
      gvisor
        ? { names: ['clone3'], action: 'SCMP_ACT_ALLOW' }
        : { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
      gvisor
        ? { names: TIME_SETTING, action: 'SCMP_ACT_ALLOW' }
        : { names: TIME_SETTING, action: 'SCMP_ACT_ERRNO', errnoRet: NOTHING },
    ],
  });

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_SET = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const errno = (number: number): number => 0x00050000 | number;

/** Offsets in struct seccomp_data: nr, arch, instruction pointer, args. */
const NR = 0;
const ARCH = 4;
const ARG0_LOW = 16;
const ARG1_LOW = 24;
const ARG1_HIGH = 28;
const AUDIT_ARCH_X86_64 = 0xc000003e;
const X32_BIT = 0x40000000;
const RT_SIGACTION = 13;
const SIGCHLD = 17;
const CLONE = 56;
const CLONE3 = 435;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number];

const callNumbers = (): ReadonlyMap<string, number> =>
  new Map(
    readFileSync(join(import.meta.dirname, 'seccomp-numbers.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name = '', number = ''] = line.split(' ');
        return [name, Number(number)] as const;
      }),
  );

/** Neighbouring numbers as closed ranges. */
const rangesOf = (numbers: readonly number[]): readonly (readonly [number, number])[] => {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
};

/**
 * Setting what SIGCHLD does succeeds and does nothing. The kernel forgets the CPU time of a child whose parent ignores
 * that signal, and where there is no cgroup it is known from nowhere else. Asking (no second argument) is allowed.
 */
const KEEP_SIGCHLD: readonly Instruction[] = [
  [JUMP_EQUAL, 0, 8, RT_SIGACTION],
  [LOAD_WORD, 0, 0, ARG0_LOW],
  [JUMP_EQUAL, 0, 5, SIGCHLD],
  [LOAD_WORD, 0, 0, ARG1_LOW],
  [JUMP_EQUAL, 0, 2, 0],
  [LOAD_WORD, 0, 0, ARG1_HIGH],
  [JUMP_EQUAL, 1, 0, 0],
  [RETURN, 0, 0, errno(NOTHING)],
  [RETURN, 0, 0, ALLOW],
];

const program = (): readonly Instruction[] => {
  const numbers = callNumbers();
  const allowed = allowedCalls().map((name) => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`expected a number for system call ${name} in seccomp-numbers.txt`);
    return number;
  });
  return [
    [LOAD_WORD, 0, 0, ARCH],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCH_X86_64],
    [RETURN, 0, 0, errno(EPERM)],
    [LOAD_WORD, 0, 0, NR],
    [JUMP_GREATER_EQUAL, 0, 1, X32_BIT],
    [RETURN, 0, 0, errno(EPERM)],
    [JUMP_EQUAL, 0, 1, CLONE3],
    [RETURN, 0, 0, errno(ENOSYS)],
    [JUMP_EQUAL, 0, 4, CLONE],
    [LOAD_WORD, 0, 0, ARG0_LOW],
    [JUMP_SET, 0, 1, CLONE_REFUSED],
    [RETURN, 0, 0, errno(EPERM)],
    [RETURN, 0, 0, ALLOW],
    ...KEEP_SIGCHLD,
    ...TIME_SETTING.flatMap((name): Instruction[] => [
      [JUMP_EQUAL, 0, 1, numbers.get(name)!],
      [RETURN, 0, 0, errno(NOTHING)],
    ]),
    ...rangesOf(allowed).flatMap(([low, high]): Instruction[] => [
      [JUMP_GREATER_EQUAL, 0, 2, low],
      [JUMP_GREATER, 1, 0, high],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, errno(EPERM)],
  ];
};

/** struct sock_filter[], little endian: what `bwrap --seccomp` reads. */
export const seccompFilter = (): Buffer =>
  Buffer.concat(
    program().map(([code, jumpTrue, jumpFalse, k]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(jumpTrue, 2);
      bytes.writeUInt8(jumpFalse, 3);
      bytes.writeUInt32LE(k >>> 0, 4);
      return bytes;
    }),
  );
