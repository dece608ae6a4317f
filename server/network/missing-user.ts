// Explains why the console needs a user before other machines can open it. The settings, the console and the command line use
// the same sentence.

import { dataOption } from '../data-location.ts';
import { PROGRAM } from '../program.ts';

/** On other machines, people sign in with a password. Without users, nobody could sign in there. */
export function missingUserSentence(dataDir: string): string {
  return `The console can open to other machines only if a user exists, and there is none. Add one first: ${PROGRAM} users add${dataOption(dataDir)} --name NAME --role manager`;
}
