// Broken variants of the forwarding. r09-effect.test.ts must catch each of them. An import with "?mutant=name" gets the modules
// of server/forward/ with the fault of this name, and leaves the modules of all other imports as they are.

import { readFileSync } from 'node:fs';

import type { Plugin } from 'vite';

interface Mutant {
  readonly name: string;
  /** A file of server/forward/. */
  readonly file: string;
  /** A text that the file has exactly once, and the text that replaces it. */
  readonly text: string;
  readonly instead: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a lost answer counts as delivered',
    file: 'answer.ts',
    text: "return { kind: 'unclear', cause: causeOf('unanswered', answer.reason) };",
    instead: "return { kind: 'delivered' };",
  },
  {
    name: 'a lost answer counts as a rejection',
    file: 'answer.ts',
    text: "return { kind: 'unclear', cause: causeOf('unanswered', answer.reason) };",
    instead: "return { kind: 'record refused' };",
  },
  {
    name: 'a redirect counts as delivered',
    file: 'answer.ts',
    text: "return { kind: 'we are refused', cause: causeOf('moved', status) };",
    instead: "return { kind: 'delivered' };",
  },
  {
    name: 'a refused key counts as a rejection of the record',
    file: 'answer.ts',
    text: "return { kind: 'we are refused', cause: causeOf('key_refused', status) };",
    instead: "return { kind: 'record refused' };",
  },
  {
    name: 'a request to wait counts as a rejection',
    file: 'answer.ts',
    text: "return { kind: 'not now', cause: causeOf('slow_down', status), retryAfterMs };",
    instead: "return { kind: 'record refused' };",
  },
  {
    name: 'an error of the server counts as a rejection',
    file: 'answer.ts',
    text: "return { kind: 'unclear', cause: causeOf('trouble', status) };",
    instead: "return { kind: 'record refused' };",
  },
  {
    name: 'a rejection is sent again without end',
    file: 'answer.ts',
    text: "return { kind: 'record refused' };",
    instead: "return { kind: 'unclear', cause: causeOf('trouble', status) };",
  },
  {
    name: 'an abandoned call is forgotten',
    file: 'lane.ts',
    text: 'if (answer === undefined) putBack(record);',
    instead: 'if (answer === undefined) return;',
  },
  {
    name: 'a record that stepped back is forgotten',
    file: 'lane.ts',
    text: 'else backlog.stepBack(record, fate.dueAt);',
    instead: '',
  },
  {
    name: 'a record that was put back is forgotten',
    file: 'backlog.ts',
    text: 'const dropped = queue.insert(record);',
    instead: 'const dropped: WaitingRecord[] = [];',
  },
  {
    name: 'a group of outcomes is dropped',
    file: 'settler.ts',
    text: 'await settle(group);',
    instead: 'await settle(group.slice(1));',
  },
  {
    name: 'a back-off follows the wall clock',
    file: 'lane.ts',
    text: "const wasDown = line.halt()?.state === 'down';\n    const now = clock.monotonic();",
    instead:
      "const wasDown = line.halt()?.state === 'down';\n    const now = clock.now() - Date.UTC(2026, 10, 20, 10);",
  },
];

const QUERY = '?mutant=';

/** Serves the broken variants. */
export function serveMutants(): Plugin {
  const [own, nameOf] = [(id: string) => id.split(QUERY)[0] ?? id, (id = '') => id.split(QUERY)[1]];
  return {
    name: 'mutants',
    enforce: 'pre',
    async resolveId(source, importer) {
      const name = nameOf(source) ?? nameOf(importer);
      if (name === undefined) return null;
      const found = await this.resolve(own(source), importer && own(importer), { skipSelf: true });
      return found?.id.includes('/server/forward/') === true ? `${own(found.id)}${QUERY}${name}` : found;
    },
    load(id) {
      const mutant = MUTANTS.find(({ name }) => name === decodeURIComponent(nameOf(id) ?? ''));
      if (mutant === undefined) return null;
      const source = readFileSync(own(id), 'utf8');
      if (!own(id).endsWith(`/server/forward/${mutant.file}`)) return source;
      return source.replace(mutant.text, () => mutant.instead);
    },
  };
}
