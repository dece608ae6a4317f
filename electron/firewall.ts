// The firewall of Windows keeps tills out that are on other machines. Whoever opened the gateway to the network is offered, once,
// a rule that lets them in on private networks. Windows asks for an administrator itself; an
// uninstaller with an administrator's rights takes the rule away.

import { execFile } from 'node:child_process';

import type { Ask } from './questions.ts';
import type { Words } from './words.ts';

export interface FirewallParts {
  readonly platform: NodeJS.Platform;
  /** The program that listens: the app's own, of which the gateway is a process. */
  readonly executable: string;
  /** The folder of Windows: `SystemRoot`. */
  readonly systemRoot: string;
  readonly words: Words;
  readonly ask: Ask;
  /** Resolves with whether the program did what it was to do. */
  readonly run: (program: string, args: readonly string[]) => Promise<boolean>;
  readonly isAsked: () => boolean;
  readonly setAsked: () => void;
}

/** Returns what is to be called with the address for tills whenever the gateway runs; calling it again is safe. */
export function openFirewallOffer(parts: FirewallParts): (api: string) => Promise<void> {
  const { platform, words, ask } = parts;
  let isAsking = false;
  return async (api) => {
    if (platform !== 'win32' || isLoopback(new URL(api).hostname) || isAsking || parts.isAsked()) return;
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
    const isDone = await parts.run(...addRule(parts));
    if (!isDone) await ask({ type: 'warning', message: words.firewallFailed, buttons: [words.close] });
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** Both programs are named by their full paths: what runs with an administrator's rights is not looked for. */
function addRule({
  executable,
  systemRoot,
}: Pick<FirewallParts, 'executable' | 'systemRoot'>): [program: string, args: readonly string[]] {
  // No path on Windows has a quotation mark in it.
  const rule = `advfirewall firewall add rule name=Counterfoil dir=in action=allow program="${executable}" protocol=TCP profile=private enable=yes`;
  const start = `Start-Process -FilePath ${quoted(`${systemRoot}\\System32\\netsh.exe`)} -Verb RunAs -Wait -PassThru -WindowStyle Hidden -ArgumentList ${quoted(rule)}`;
  // Without the first part a refused elevation would be an error that PowerShell prints and forgets.
  const command = `$ErrorActionPreference = 'Stop'; exit (${start}).ExitCode`;
  return [
    `${systemRoot}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
    ['-NoProfile', '-NonInteractive', '-Command', command],
  ];
}

/** For PowerShell, to which curly quotes are quotes as well. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

/** Resolves with whether it ended well. */
export const runProgram: FirewallParts['run'] = (program, args) =>
  new Promise((resolve) => {
    execFile(program, args, { windowsHide: true }, (error) => resolve(error === null));
  });
