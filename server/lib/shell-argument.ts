// Quotes an argument of a command that a person copies into a shell. This is needed because a store's name may contain any
// character.

/** Characters that have a special meaning inside double quotes: `posix` in a POSIX shell, `windows` in PowerShell or cmd. */
const SPECIAL = { posix: /[$`"\\!]/, windows: /[$`"%]/ };

/** Returns the argument in quotes, so that a POSIX shell, or PowerShell on Windows, reads exactly this text. */
export function shellArgument(text: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === 'win32';
  if (!SPECIAL[isWindows ? 'windows' : 'posix'].test(text)) return `"${text}"`;
  return `'${text.replaceAll("'", isWindows ? "''" : `'\\''`)}'`;
}
