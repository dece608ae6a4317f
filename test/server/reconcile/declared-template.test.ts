// The template for declared totals: the import understands it in every language.

import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';

import { readDeclaredFile } from '../../../server/reconcile/declared-file.ts';
import { makeTemplate, TEMPLATE_LANGUAGES } from '../../../server/reconcile/declared-template.ts';

const STORE = {
  tills: [
    { id: 1, label: 'Till 1' },
    { id: 2, label: 'Till 2' },
  ],
  dayAt: () => '',
  dayOfClock: (date: string) => date,
};

test.each(TEMPLATE_LANGUAGES)('a template that was filled in is imported: %s', (language) => {
  const { columns, rows } = makeTemplate(['Till 1', 'Till 2'], '2026-11-20', language);
  const filled = rows.map((row, index) => [...row.slice(0, 2), `${index + 7}`, '12,50', 'EUR']);
  const { totals, faults } = readDeclaredFile(stringify([columns, ...filled], { delimiter: ';' }), STORE);
  expect(faults).toEqual([]);
  expect(totals).toEqual(
    [1, 2].map((tillId) => ({
      date: '2026-11-20',
      type: null,
      tillId,
      records: tillId + 6,
      amounts: [{ currency: 'EUR', value: '12.50' }],
    })),
  );
});

test.each(TEMPLATE_LANGUAGES)('an empty template declares nothing: %s', (language) => {
  const { columns, rows } = makeTemplate(['Till 1'], '2026-11-20', language);
  const { faults } = readDeclaredFile(stringify([columns, ...rows]), STORE);
  expect(faults).toMatchObject([{ line: 2, code: 'count_unreadable' }]);
});

test('a store without tills gets one line for the whole day', () => {
  expect(makeTemplate([], '2026-11-20', 'en').rows).toEqual([['2026-11-20', '', '', '', '']]);
});
