// Why the console stays closed to other machines without a user. Settings, console and command line use the same words.

import { dataOption } from '../config.ts';
import { PROGRAM } from '../program.ts';

/** Other machines sign in with a password, so a console without users would be of no use there. */
export function missingUserSentence(dataDir: string): string {
  return `The console can open to other machines only if a user exists, and there is none. Add one first: ${PROGRAM} users add${dataOption(dataDir)} --name NAME --role manager`;
}
