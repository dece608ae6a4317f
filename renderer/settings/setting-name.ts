// What a setting of the gateway is called besides its name in the settings file. Pure.

/** `consolePort` is `--console-port`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `consolePort` is `COUNTERFOIL_CONSOLE_PORT`. */
export function variableOf(name: string): string {
  return `COUNTERFOIL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
