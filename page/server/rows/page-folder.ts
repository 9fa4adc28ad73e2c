import { join } from 'node:path';
import type { Home } from '../../../deploy/host/home.ts';

/** What the page keeps: its files, and rows that were read. All of it can be made again. */
export const pageFolder = ({ root }: Pick<Home, 'root'>): string => join(root, 'page');
