// A till's text never changes the direction of the text beside it, whatever characters it contains.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { balanced, isolated } from '../../../renderer/locales/bidi.ts';

test.each([
  ['plain text stays as it is', 'S-1', 'S-1'],
  ['an override is isolated', 'A\u202egpj.exe', '\u2068A\u202egpj.exe\u2069'],
  ['letters from right to left are isolated', 'אבג', '\u2068אבג\u2069'],
  ['an isolate that would end ours is made visible', 'a\u2069\u202eb', '\u2068a⟨U+2069⟩\u202eb\u2069'],
  ['an open isolate is closed', 'a\u2067b', '\u2068a\u2067b\u2069\u2069'],
])('%s', (_name, text, expected) => {
  expect(isolated(text)).toBe(expected);
});

const anyText = fc.string({ unit: fc.constantFrom('a', 'א', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069') });

test('no text ends an isolate around it or leaves one open behind it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let depth = 0;
      for (const character of balanced(text)) {
        if (/[\u2066-\u2068]/.test(character)) depth += 1;
        if (character === '\u2069') depth -= 1;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth).toBe(0);
    }),
  );
});

test('a sentence within a sentence is isolated once more and not changed', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(isolated(`a ${isolated(text)}`)).toContain(isolated(text));
    }),
  );
});
