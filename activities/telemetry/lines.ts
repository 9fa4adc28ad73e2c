// What a process tells of its work, line by line: of a step, of a program. Lines go nowhere until a process has said
// that it wants them (EVOLVE_LOG=json).

export type Told = Readonly<Record<string, string | number | boolean | null>>;
export type Level = 'info' | 'warn' | 'error';
export type Lines = (level: Level, message: string, of: Told) => void;

let lines: Lines | null = null;

export const linesTo = (to: Lines | null): void => {
  lines = to;
};

export const tell: Lines = (level, message, of) => lines?.(level, message, of);
