// Windows' firewall blocks calls from tills on other machines. Before the gateway first listens on the network, the app offers
// to allow these calls on private networks. If the user agrees, the app adds a firewall rule, and removes rules that block this
// program. Windows then asks for an administrator's consent. The uninstaller removes the rule if it has an administrator's
// rights.

import { execFile } from 'node:child_process';

import type { Ask } from './questions.ts';
import type { Words } from './words.ts';

export interface FirewallParts {
  readonly platform: NodeJS.Platform;
  /** The program that listens on the network. It is the app, because the gateway runs as a process of the app. */
  readonly executable: string;
  /** The path of the Windows folder, from the variable `SystemRoot`. */
  readonly systemRoot: string;
  readonly words: Words;
  readonly ask: Ask;
  /** Runs a program. Resolves to true if the program succeeded. */
  readonly run: (program: string, args: readonly string[]) => Promise<boolean>;
  readonly isAsked: () => boolean;
  readonly setAsked: () => void;
}

/**
 * Returns a function to call before the gateway listens on the network. It resolves once the user has answered. It does nothing
 * if the user has already answered. Without this offer, Windows would ask a question itself. If the user declined that
 * question, Windows would keep a rule that blocks the tills.
 */
export function openFirewallOffer(parts: FirewallParts): () => Promise<void> {
  const { platform, words, ask } = parts;
  let isAsking = false;
  return async () => {
    if (platform !== 'win32' || isAsking || parts.isAsked()) return;
    isAsking = true;
    const answer = await ask({
      type: 'question',
      message: words.firewallTitle,
      detail: words.firewallMeans,
      buttons: [words.firewallYes, words.firewallNo],
      defaultId: 0,
      cancelId: 1,
    }).finally(() => (isAsking = false));
    parts.setAsked();
    if (answer !== 0) return;
    const isDone = await parts.run(...allowProgram(parts));
    if (!isDone) await ask({ type: 'warning', message: words.firewallFailed, buttons: [words.close] });
  };
}

/** Uses full paths. A program that gets administrator rights must not be searched for in PATH. */
function allowProgram({
  executable,
  systemRoot,
}: Pick<FirewallParts, 'executable' | 'systemRoot'>): [program: string, args: readonly string[]] {
  const powerShell = `${systemRoot}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  // A blocking rule outranks an allowing one. `-eq` ignores case, as Windows does in paths.
  const rules = `$ErrorActionPreference = 'Stop'
$program = ${quoted(executable)}
Get-NetFirewallRule -Direction Inbound -Action Block |
  Where-Object { [Environment]::ExpandEnvironmentVariables(($_ | Get-NetFirewallApplicationFilter).Program) -eq $program } |
  Remove-NetFirewallRule
New-NetFirewallRule -DisplayName Counterfoil -Direction Inbound -Action Allow -Program $program -Protocol TCP -Profile Private`;
  const encoded = Buffer.from(rules, 'utf16le').toString('base64');
  const start = `Start-Process -FilePath ${quoted(powerShell)} -Verb RunAs -Wait -PassThru -WindowStyle Hidden -ArgumentList '-NoProfile -NonInteractive -EncodedCommand ${encoded}'`;
  // Without 'Stop', PowerShell would exit with 0 even if the user refuses the administrator rights.
  const command = `$ErrorActionPreference = 'Stop'; exit (${start}).ExitCode`;
  return [powerShell, ['-NoProfile', '-NonInteractive', '-Command', command]];
}

/** Quotes a text for PowerShell. PowerShell also treats curly quotes as quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

/** Runs a program. Resolves to true if the program exits with code 0. */
export const runProgram: FirewallParts['run'] = (program, args) =>
  new Promise((resolve) => {
    execFile(program, args, { windowsHide: true }, (error) => resolve(error === null));
  });
