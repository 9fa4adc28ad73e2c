// The candidate's seccomp profile, an allow-list (reference `sandbox`, section 3). Called by container-options.ts and bubblewrap.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CLONE_NEW* bits: a new namespace may not be made. */
export const CLONE_NAMESPACES = 0x7e020000;
export const EPERM = 1;
export const ENOSYS = 38;

export const allowedCalls = (): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'seccomp-allowed.txt'), 'utf8')
    .split('\n').map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'));

/** The profile as the Docker API takes it. `clone3` answers ENOSYS so that the C library falls back to `clone`. */
export const seccompProfile = (): string => JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: EPERM,
  architectures: ['SCMP_ARCH_X86_64'],
  syscalls: [
    { names: allowedCalls(), action: 'SCMP_ACT_ALLOW' },
    { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value: CLONE_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] },
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
  ],
});
