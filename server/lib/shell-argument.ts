// Quotes an argument of a command that a person copies into a shell. A store's name may contain anything.

/** Characters with a meaning inside double quotes, in sh and in PowerShell or cmd. */
const SPECIAL = { posix: /[$`"\\!]/, windows: /[$`"%]/ };

/** Returns the argument in quotes, so that a POSIX shell, or PowerShell on Windows, reads exactly this text. */
export function shellArgument(text: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === 'win32';
  if (!SPECIAL[isWindows ? 'windows' : 'posix'].test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", isWindows ? "''" : `'\\''`)}'`;
}
