// The preview of an import: the unreadable lines of the file or, if all lines are readable, the totals.

import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { DeclaredImport } from '../../server/contract/declared-totals.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

/** Maximum number of faults, or of totals, that the preview shows. */
const MAX_PREVIEW_LINES = 20;

export function ImportPreview({ seen: { totals, faults } }: { readonly seen: DeclaredImport }) {
  const { t } = useTranslation('importing');
  const formats = useStoreFormats();
  const counted = (count: number) => ({ count, n: formats.number(count) });
  return (
    <>
      {faults.length > 0 && <Faults faults={faults} />}
      {totals.length > 0 && (
        <Table maw={760} horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('day')}</Table.Th>
              <Table.Th>{t('till')}</Table.Th>
              <Table.Th>{t('type')}</Table.Th>
              <Table.Th ta="right">{t('count')}</Table.Th>
              <Table.Th ta="right">{t('amount')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {totals.slice(0, MAX_PREVIEW_LINES).map(({ date, type, till, records, hasIds, amounts }) => (
              <Table.Tr key={`${date} ${type} ${till}`}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{formats.date(date)}</Table.Td>
                <Table.Td>{till === null ? t('all') : <ForeignText>{till}</ForeignText>}</Table.Td>
                <Table.Td>{type === null ? t('all') : <ForeignText>{type}</ForeignText>}</Table.Td>
                <Table.Td ta="right">
                  {formats.number(records)}
                  {hasIds && ` (${t('withIds')})`}
                </Table.Td>
                <Table.Td ta="right">
                  {amounts.map((amount) => (
                    <div key={amount.currency}>{formats.amount(amount)}</div>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {totals.length > MAX_PREVIEW_LINES && <Text>{t('more', counted(totals.length - MAX_PREVIEW_LINES))}</Text>}
    </>
  );
}

function Faults({ faults }: Pick<DeclaredImport, 'faults'>) {
  const { t } = useTranslation('importing');
  const { t: faultWords } = useTranslation('declaredFault');
  const formats = useStoreFormats();
  const counted = (count: number) => ({ count, n: formats.number(count) });
  const faulty = new Set(faults.map(({ line }) => line));
  return (
    <div>
      <StateMark tone="bad">{t('faults', counted(faulty.size))}</StateMark>
      <ul>
        {faults.slice(0, MAX_PREVIEW_LINES).map(({ line, code, value }) => (
          <li key={`${line} ${code} ${value}`} style={{ overflowWrap: 'anywhere' }}>
            {t('line', { line: formats.number(line), what: faultWords(code, { value }) })}
          </li>
        ))}
      </ul>
      {faults.length > MAX_PREVIEW_LINES && <Text>{t('more', counted(faults.length - MAX_PREVIEW_LINES))}</Text>}
    </div>
  );
}
