// The failure converter of activities where payloads are encrypted: message and stack of an error may hold lines of a
// program, so that they travel as a payload. The SDK loads this file by its path. What reads failures needs no setting.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
