// Runs a command in this process, as main does.

import { Command } from 'commander';
import { vi } from 'vitest';

/**
 * Runs a command that `bind` defines. Returns what it prints on stdout, without the last line break. Rejects with the command's
 * error.
 */
export async function runCommand(bind: (program: Command) => void, args: readonly string[]): Promise<string> {
  let printed = '';
  const print = (text: unknown): boolean => ((printed += String(text).trimEnd() + '\n'), true);
  const [log, write] = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
  ];
  try {
    const program = new Command('counterfoil').exitOverride().configureOutput({ writeErr: () => {} });
    bind(program);
    await program.parseAsync(args, { from: 'user' });
    return printed.trimEnd();
  } finally {
    log.mockRestore();
    write.mockRestore();
  }
}
