// The handler of each stage.
import type { Stage } from '../../../../evolution/stages.ts';
import { idea } from './idea.ts';
import { judge } from './judge.ts';
import { meta } from './meta.ts';
import { notes } from './notes.ts';
import type { StageHandler } from './stage.ts';

export const HANDLERS: { readonly [stage in Stage]: StageHandler } = { notes, idea, judge, meta };
