// The app's offer to allow tills through the Windows firewall. The app makes this offer once, and only if it helps. If the user
// accepts, the firewall gets exactly one rule.

import { expect, test, vi } from 'vitest';

import { type FirewallParts, openFirewallOffer, runProgram } from '../../electron/firewall.ts';
import { wordsOf } from '../../electron/words.ts';

const words = wordsOf('en');

function openOffer({ answers = [0], isDone = true, ...more }: Partial<FirewallParts> & Given = {}) {
  const ask = vi.fn<FirewallParts['ask']>(() => Promise.resolve(answers.shift() ?? 0));
  const run = vi.fn<FirewallParts['run']>(() => Promise.resolve(isDone));
  const executable = String.raw`C:\Users\Zoë O'Brien’s\App Data\Counterfoil\counterfoil.exe`;
  let isAsked = false;
  const memory = { isAsked: () => isAsked, setAsked: () => void (isAsked = true) };
  const parts = { platform: 'win32', executable, systemRoot: String.raw`C:\Windows`, words, ...memory } as const;
  return { ask, run, offer: openFirewallOffer({ ...parts, ask, run, ...more }), memory };
}
interface Given {
  answers?: number[];
  isDone?: boolean;
}

test('with consent, rules that block this program are removed and one allows it on private networks, as administrator', async () => {
  const { ask, run, offer } = openOffer();
  await offer();
  expect(ask.mock.calls.map(([{ message, buttons }]) => [message, buttons])).toEqual([
    ['Allow tills through the firewall?', ['Allow tills', 'No']],
  ]);
  const [program, args] = run.mock.calls[0] ?? [];
  const powerShell = String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`;
  expect([program, args?.slice(0, 3)]).toEqual([powerShell, ['-NoProfile', '-NonInteractive', '-Command']]);
  const [, elevated, encoded = ''] =
    /-FilePath '(.*)' -Verb RunAs -Wait .* -EncodedCommand ([\w+/=]+)'/.exec(args?.[3] ?? '') ?? [];
  expect(elevated).toBe(powerShell);
  expect(Buffer.from(encoded, 'base64').toString('utf16le').split('\n')).toEqual([
    "$ErrorActionPreference = 'Stop'",
    String.raw`$program = 'C:\Users\Zoë O''Brien’’s\App Data\Counterfoil\counterfoil.exe'`,
    'Get-NetFirewallRule -Direction Inbound -Action Block |',
    '  Where-Object { [Environment]::ExpandEnvironmentVariables(($_ | Get-NetFirewallApplicationFilter).Program) -eq $program } |',
    '  Remove-NetFirewallRule',
    'New-NetFirewallRule -DisplayName Counterfoil -Direction Inbound -Action Allow -Program $program -Protocol TCP -Profile Private',
  ]);
});

test('the question is asked once, whatever the answer, even if the gateway restarts during it', async () => {
  for (const answer of [0, 1]) {
    const { ask, run, offer, memory } = openOffer({ answers: [answer] });
    await Promise.all([offer(), offer()]);
    await offer();
    await openOffer({ ...memory, ask }).offer(); // as after a restart of the app
    expect(ask).toHaveBeenCalledOnce();
    expect(run).toHaveBeenCalledTimes(answer === 0 ? 1 : 0);
  }
});

test('a refused elevation is explained, and not requested again', async () => {
  const { ask, run, offer } = openOffer({ isDone: false });
  await offer();
  await offer();
  expect(run).toHaveBeenCalledOnce();
  expect(ask.mock.calls.map(([{ message }]) => message)).toEqual([words.firewallTitle, words.firewallFailed]);
});

test.each(['linux', 'darwin'] as const)('on %s nothing is asked, because it has no such firewall', async (platform) => {
  const { ask, offer } = openOffer({ platform });
  await offer();
  expect(ask).not.toHaveBeenCalled();
});

test('a program succeeded if its exit code is 0; a missing program failed', async () => {
  expect(await runProgram(process.execPath, ['--eval', ''])).toBe(true);
  expect(await runProgram(process.execPath, ['--eval', 'process.exit(1)'])).toBe(false);
  expect(await runProgram('/nowhere/at-all', [])).toBe(false);
});
