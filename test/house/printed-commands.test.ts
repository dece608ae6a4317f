// A command that a person copies from the output must act on the same data directory as the command that printed it.

import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const FOLDER = new URL('../../server/command/', import.meta.url);

/** The name of the program, as it stands before a command in a text. */
const SHOWN = '${PROGRAM} ';

/** Lines whose command needs no --data: it reads the file that it names, or the sentence is only about a name. */
const WITHOUT_DATA = [/salvage \$\{shellArgument\(backup\.file\)\}/, /so \$\{PROGRAM\} lan cannot change that/];

test('every command that the command line shows names the data directory', () => {
  const lines = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(new URL(name, FOLDER), 'utf8')
        .split('\n')
        .map((line) => `${name}: ${line.trim()}`),
    )
    .filter((line) => line.includes(SHOWN));
  expect(lines.length).toBeGreaterThan(20);
  const named = /data\b|dataOption|optionsOfLane|laneOptions|\$\{into\}/;
  expect(
    lines.filter(
      (line) => !named.test(line.split(': ').slice(1).join(': ')) && !WITHOUT_DATA.some((each) => each.test(line)),
    ),
  ).toEqual([]);
});
