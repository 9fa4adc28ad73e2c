// The surroundings of a program in every sandbox: the environment, and how much address space gVisor
// needs. It is written once, so that an outcome does not depend on which sandbox it was made in.

import { TOOL_PATH } from '../../../evolution/task/languages.ts';

/** There are no secrets here. BLAS would start a thread for each core of the host, and gets as many as it may use. */
export const environmentOf = (cores: number, folder = '/box') => ({
  PYTHONHASHSEED: '0',
  OMP_NUM_THREADS: String(cores),
  OPENBLAS_NUM_THREADS: String(cores),
  MKL_NUM_THREADS: String(cores),
  HOME: folder,
  TMPDIR: folder,
  LANG: 'C.UTF-8',
  PATH: TOOL_PATH,
});

/**
 * Bytes of address space beyond a program's memory. Linux refuses an allocation that is far beyond what the machine
 * has, and a program may catch that. gVisor grants any, and the program dies when it writes there: so its address space
 * has a limit, far above what honest code maps.
 */
export const GVISOR_SPARE = 16 * 1024 ** 3;
