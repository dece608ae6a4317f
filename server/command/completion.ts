// `counterfoil completion`: prints a script for a shell. With the script, the shell completes commands, options and values. It
// is generated from the table of commands, so it is always current.

import { Argument, type Command } from 'commander';

import { assertNever } from '../errors.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command with everything that a shell can complete. */
interface Entry {
  /** The words after the program name, such as `keys create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly EntryOption[];
  /** The allowed values of the argument. Empty if it has no fixed values. */
  readonly values: readonly string[];
}

interface EntryOption {
  readonly flag: string;
  readonly description: string;
  readonly value: 'none' | 'any' | 'list';
  readonly choices: readonly string[];
}

export function bindCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script for your shell, which completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', `\n${INSTALL}`)
    .action((shell: Shell) => void process.stdout.write(makeCompletion(program, shell)));
}

const INSTALL = `Bash: counterfoil completion bash > ~/.local/share/bash-completion/completions/counterfoil
Zsh:  counterfoil completion zsh > "\${fpath[1]}/_counterfoil"
Fish: counterfoil completion fish > ~/.config/fish/completions/counterfoil.fish
Then open a new shell.`;

/** Makes the completion script for a shell. */
export function makeCompletion(program: Command, shell: Shell): string {
  const entries = listEntries(program, '');
  switch (shell) {
    case 'bash':
      return bashScript(entries);
    case 'zsh':
      return zshScript(entries);
    case 'fish':
      return fishScript(entries);
    default:
      return assertNever(shell);
  }
}

function listEntries(command: Command, path: string): Entry[] {
  const own: Entry = {
    path,
    commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [
      ...command.options.map(({ long, required, optional, argChoices, description }): EntryOption => {
        const takes = required || optional;
        const value = !takes ? 'none' : argChoices === undefined ? 'any' : 'list';
        return { flag: long ?? '', description, value, choices: argChoices ?? [] };
      }),
      { flag: '--help', description: 'show the options', value: 'none', choices: [] },
    ],
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
  const below = command.commands.flatMap((each) => listEntries(each, `${path} ${each.name()}`.trim()));
  return [own, ...below];
}

const wordsOf = ({ commands, options, values }: Entry): string =>
  [...commands.map(({ name }) => name), ...values, ...options.map(({ flag }) => flag)].join(' ');

const withValue = (entries: readonly Entry[]): string => {
  const flags = entries.flatMap(({ options }) => options.filter(({ value }) => value !== 'none'));
  return [...new Set(flags.map(({ flag }) => flag))].join('|');
};

/**
 * Returns the part of the script for bash and zsh that finds the command before the cursor, and then lists the possible words.
 */
function cases(entries: readonly Entry[]): string {
  const lists = entries.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ flag, choices }) => `    '${path}:${flag}') offers='${choices.join(' ')}' ;;`),
  );
  const words = entries.map((entry) => `    '${entry.path}:'*) offers='${wordsOf(entry)}' ;;`);
  const known = entries.map(({ path }) => `'${path}'`).join('|');
  return `  local at='' previous='' offers='' word
  for word in "\${before[@]}"; do
    case "$previous" in ${withValue(entries)}) previous="$word"; continue ;; esac
    previous="$word"
    case "\${at:+$at }$word" in ${known}) at="\${at:+$at }$word" ;; esac
  done
  case "$previous" in ${withValue(entries)}) ;; *) previous='' ;; esac
  case "$at:$previous" in
${[...lists, ...words].join('\n')}
  esac`;
}

function bashScript(entries: readonly Entry[]): string {
  return `# Completion of counterfoil for bash
_counterfoil() {
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${cases(entries)}
  COMPREPLY=($(compgen -W "$offers" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _counterfoil counterfoil
`;
}

function zshScript(entries: readonly Entry[]): string {
  return `#compdef counterfoil
_counterfoil() {
  local -a before=("\${(@)words[2,CURRENT-1]}")
  __counterfoil_words
}
__counterfoil_words() {
${cases(entries)}
  if [[ -n $offers ]]; then compadd -- \${(z)offers}; else _files; fi
}
# Zsh runs this file at the first completion; a shell that sources it only binds the function.
if [[ \${funcstack[1]} == _counterfoil ]]; then _counterfoil "$@"; else compdef _counterfoil counterfoil; fi
`;
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, commands, options, values }) => {
    const condition = `-n '__counterfoil_at "${path}"'`;
    const start = `complete -c counterfoil ${condition}`;
    return [
      ...commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quote(description)}`),
      ...values.map((value) => `${start} -f -a ${value}`),
      ...options.map(({ flag, description, value, choices }) => {
        const takes = value === 'none' ? '' : value === 'any' ? ' -r' : ` -x -a '${choices.join(' ')}'`;
        return `${start} -l ${flag.slice(2)}${takes} -d ${quote(description)}`;
      }),
    ];
  });
  const known = entries.map(({ path }) => quote(path)).join(' ');
  return `# Completion of counterfoil for fish
function __counterfoil_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join -- ' ' $at $word)
        contains -- $next ${known}; and set at $next
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** Quotes a text for fish and POSIX shells. */
function quote(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
