// The version of this program, as its package says, and when it was built.

import packageJson from '../package.json' with { type: 'json' };

export const VERSION = packageJson.version;

/** What the build puts here; a checkout that runs from its sources has none. */
declare const BUILT_ON: string | undefined;
/** When this line was written. */
const WRITTEN_ON = '2026-11-22';

/** Epoch milliseconds: a clock that shows an earlier time is wrong. */
export const BUILT_AT = Date.parse(typeof BUILT_ON === 'undefined' ? WRITTEN_ON : BUILT_ON);
