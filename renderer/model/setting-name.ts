// The flag and the environment variable of a setting. Pure.

/** `consolePort` becomes `--console-port`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `consolePort` becomes `COUNTERFOIL_CONSOLE_PORT`. */
export function variableOf(name: string): string {
  return `COUNTERFOIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
