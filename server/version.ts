// The version and the build date of this program.

import packageJson from '../package.json' with { type: 'json' };

export const VERSION = packageJson.version;

/** Set by the build; undefined when the program runs from its sources. */
declare const BUILT_ON: string | undefined;
/** Used when BUILT_ON is undefined. It is the date of the last change to this line. */
const WRITTEN_ON = '2026-11-22';

/** The build time of this program, in epoch milliseconds. A clock that shows an earlier time is wrong. */
export const BUILT_AT = Date.parse(typeof BUILT_ON === 'undefined' ? WRITTEN_ON : BUILT_ON);
