// What a shell offers after Tab. Each installed shell completes real commands; the tests of other shells are skipped.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { makeCompletion } from '../../../server/command/completion.ts';
import { makeCommandTable } from '../../../server/command/table.ts';
import { listCommands } from '../../support/command-list.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).error === undefined;

/** What a shell offers for the last word of a command line. */
function complete(shell: Shell, line: string): string[] {
  const folder = temporaryFolder();
  const script = makeCompletion(makeCommandTable(), shell);
  switch (shell) {
    case 'bash':
      return completeInBash(folder, script, line);
    case 'zsh':
      return completeInZsh(folder, script, line);
    case 'fish':
      return completeInFish(folder, script, line);
  }
}

function completeInBash(folder: string, script: string, line: string): string[] {
  const file = join(folder, 'counterfoil');
  writeFileSync(file, script);
  const words = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _counterfoil; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf(run('bash', '-c', words, 'bash', file, ...line.split(' ')));
}

function completeInFish(folder: string, script: string, line: string): string[] {
  const file = join(folder, 'counterfoil.fish');
  writeFileSync(file, script);
  // fish prints each offer, a tab and a description.
  const offers = run(
    'fish',
    '--no-config',
    '-c',
    'cd $argv[2]; source $argv[1]; complete -C $argv[3]',
    file,
    folder,
    line,
  );
  return linesOf(offers).map((offer) => offer.replace(/\t.*/, ''));
}

/** Zsh completes only at its own prompt, so an interactive zsh runs in a terminal that zsh creates. */
function completeInZsh(folder: string, script: string, line: string): string[] {
  mkdirSync(join(folder, 'functions'));
  writeFileSync(join(folder, 'functions/_counterfoil'), script);
  const setup = join(folder, 'setup');
  writeFileSync(
    setup,
    `fpath=(${folder}/functions $fpath); cd ${folder}/functions
autoload -Uz compinit; compinit -u -d ${folder}/dump
compadd() { local -a offers; builtin compadd -O offers "$@"; print -rl -- $offers; builtin compadd "$@"; }
mark() { print -r -- '<list>'; }
compprefuncs=(mark) comppostfuncs=(mark exit)
bindkey '^I' complete-word
print is""ready`,
  );
  const terminal = `zmodload zsh/zpty; zpty shell zsh -f -i; local text all
zpty -w shell "source $1"
until [[ $text == *isready* ]]; do zpty -r shell text || exit 1; done
zpty -w shell "$2"$'\\t'
until [[ $all == *'<list>'*'<list>'* ]]; do zpty -r shell text || exit 2; all+=$text; done
print -r -- "$all"; zpty -d shell`;
  const [, list = ''] = run('zsh', '-f', '-c', `() { ${terminal} } "$@"`, 'zsh', setup, line).split('<list>');
  return linesOf(list.replaceAll('\r', ''));
}

function run(shell: Shell, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, { encoding: 'utf8', timeout: 20_000 });
  expect({ shell, stderr, status }).toEqual({ shell, stderr: '', status: 0 });
  return stdout;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

describe.each(SHELLS)('%s', (shell) => {
  test.skipIf(!isInstalled(shell)).each<[rule: string, line: string, offered: string[]]>([
    ['commands by their beginning', 'counterfoil refu', ['refusals']],
    ['the commands below a command', 'counterfoil keys ', expect.arrayContaining(['create', 'list', 'revoke'])],
    ['the options of a command', 'counterfoil keys create --if', ['--if-missing']],
    ['the values of an option', 'counterfoil keys create --mode ', ['production', 'test']],
    ['options behind the value of another one', 'counterfoil keys create --label keys --adm', ['--administration']],
    ['the shells', 'counterfoil completion ', expect.arrayContaining(['bash', 'fish', 'zsh'])],
  ])('offers %s', (_rule, line, offered) => {
    expect(complete(shell, line)).toEqual(offered);
  });

  test.skipIf(!isInstalled(shell))('offers no command in place of free text', () => {
    expect(complete(shell, 'counterfoil keys create --label ')).not.toContain('create');
  });

  test('knows every command and option', () => {
    const script = makeCompletion(makeCommandTable(), shell);
    for (const { path, command } of listCommands()) {
      expect(script).toContain(path);
      for (const { long = '' } of command.options)
        expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
    }
  });
});
