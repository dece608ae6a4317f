// The rule that lets tills in through the firewall of Windows: offered once, to whom it helps, and made as exactly this.

import { expect, test, vi } from 'vitest';

import { type FirewallParts, openFirewallOffer, runProgram } from '../../electron/firewall.ts';
import { wordsOf } from '../../electron/words.ts';

const NETWORK = 'https://0.0.0.0:7410';
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

test('a yes makes the rule: of this program, on private networks, with an administrator’s rights', async () => {
  const { ask, run, offer } = openOffer();
  await offer(NETWORK);
  expect(ask.mock.calls.map(([{ message, buttons }]) => [message, buttons])).toEqual([
    ['Let tills in through the firewall?', ['Let tills in', 'No']],
  ]);
  expect(run.mock.calls).toEqual([
    [
      String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`,
      [
        '-NoProfile',
        '-NonInteractive',
        '-Command',
        String.raw`$ErrorActionPreference = 'Stop'; exit (Start-Process -FilePath 'C:\Windows\System32\netsh.exe' -Verb RunAs -Wait -PassThru -WindowStyle Hidden -ArgumentList 'advfirewall firewall add rule name=Counterfoil dir=in action=allow program="C:\Users\Zoë O''Brien’’s\App Data\Counterfoil\counterfoil.exe" protocol=TCP profile=private enable=yes').ExitCode`,
      ],
    ],
  ]);
});

test('it is asked once, whatever the answer, also when the gateway starts again meanwhile', async () => {
  for (const answer of [0, 1]) {
    const { ask, run, offer, memory } = openOffer({ answers: [answer] });
    await Promise.all([offer(NETWORK), offer(NETWORK)]);
    await offer(NETWORK);
    await openOffer({ ...memory, ask }).offer(NETWORK); // the app, started again
    expect(ask).toHaveBeenCalledOnce();
    expect(run).toHaveBeenCalledTimes(answer === 0 ? 1 : 0);
  }
});

test('an elevation that is refused is told in words, and not asked for again', async () => {
  const { ask, run, offer } = openOffer({ isDone: false });
  await offer(NETWORK);
  await offer(NETWORK);
  expect(run).toHaveBeenCalledOnce();
  expect(ask.mock.calls.map(([{ message }]) => message)).toEqual([words.firewallTitle, words.firewallFailed]);
});

test.each(['http://127.0.0.1:7410', 'http://[::1]:7410', 'http://localhost:7410'])('%s needs no rule', async (api) => {
  const { ask, offer, memory } = openOffer();
  await offer(api);
  expect(ask).not.toHaveBeenCalled();
  expect(memory.isAsked()).toBe(false); // it may be opened to the network later
});

test.each(['linux', 'darwin'] as const)('%s has no such firewall', async (platform) => {
  const { ask, offer } = openOffer({ platform });
  await offer(NETWORK);
  expect(ask).not.toHaveBeenCalled();
});

test('whether a program did what it was to do is its exit code, and a program that is not there did not', async () => {
  expect(await runProgram(process.execPath, ['--eval', ''])).toBe(true);
  expect(await runProgram(process.execPath, ['--eval', 'process.exit(1)'])).toBe(false);
  expect(await runProgram('/nowhere/at-all', [])).toBe(false);
});
