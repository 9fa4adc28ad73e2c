// The run that an answer is about, as it is stored now. Answers that come with the news of a run are made of the document
// in which the news were seen, so that all of them are of one committed step and it is read once.
import type { Context } from 'hono';
import type { RunDocument } from '../../../activities/store/documents.ts';
import { findRun } from '../../../client/read/run-id.ts';
import type { Site } from './site.ts';

/** Handed over beside a request of the server itself. */
export type OfDocument = { readonly document: RunDocument };

/** Throws UsageError where there is none of this name. */
export const askedRun = async (c: Context, site: Pick<Site, 'store'>): Promise<RunDocument> =>
  (c.env as Partial<OfDocument> | undefined)?.document ?? findRun(await site.store(), c.req.param('run') ?? '');
