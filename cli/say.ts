// One line an item for the person who waits: the part in a column, then what was chosen and why.
import type { Say } from '../deploy/setup-error.ts';

export const sayer = (print: (text: string) => void): Say => (part, message) => print(`${part.padEnd(10)} ${message}`);
