// The table of a day by type and till: the count at this gateway, the upstream's count, the declared total and the differences.

import { Anchor, Table, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import type { DaySummary, DayView } from '../../server/contract/days.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { Money } from '../components/money.tsx';
import { StateMark } from '../components/state-mark.tsx';
import type { RecordSearch } from '../model/search-parameters.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { differencesOf, listCountRows, type CountRow } from './count-rows.ts';
import { differsInMoney, moneyDifference } from './money-words.ts';
import { salesFor, salesOf } from './record-searches.ts';
import { Section } from './section.tsx';

import classes from './days.module.css';

/** Maximum rows that fit on a printed page. A row with an amount is twice as high. */
const MAX_PRINTED_ROWS = { counts: 14, amounts: 9 };

interface Look {
  /** Whether this is the printed version, which is short and has no links. */
  readonly isPrinted: boolean;
  /** Whether there is a column for declared totals. */
  readonly isDeclared: boolean;
}

export function CountTable({ view, isPrinted = false }: { readonly view: DayView } & Partial<Pick<Look, 'isPrinted'>>) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const { day } = view;
  if (day.here + (day.upstream ?? 0) === 0 && day.declared === null) return null;
  const all = listCountRows(view);
  const parts = all.filter(({ kind }) => kind === 'row' || kind === 'type');
  const hasAmounts = day.amounts !== null && day.amounts.length > 0;
  const hidden = new Set(isPrinted ? parts.slice(MAX_PRINTED_ROWS[hasAmounts ? 'amounts' : 'counts']) : []);
  const rows = all.filter((row) => !hidden.has(row));
  const look = { isPrinted, isDeclared: rows.some(({ declared }) => declared !== null) };
  return (
    <Section name={t('sides')}>
      <Table
        maw={860}
        verticalSpacing={isPrinted ? 2 : 6}
        horizontalSpacing="xs"
        className={isPrinted ? '' : (classes.sides ?? '')}
        data-declared={look.isDeclared || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('what')}</Table.Th>
            <Table.Th ta="right">{t('here')}</Table.Th>
            <Table.Th ta="right">{t('upstream')}</Table.Th>
            {look.isDeclared && <Table.Th ta="right">{t('declared')}</Table.Th>}
            <Table.Th data-difference>{t('difference')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody style={{ verticalAlign: 'baseline' }}>
          {rows.map((row) => (
            <Fragment key={`${row.kind} ${row.type} ${row.tillId}`}>
              {row.kind === 'all' && hidden.size > 0 && (
                <Table.Tr>
                  <Table.Td colSpan={5}>
                    {t('andMore', { count: hidden.size, n: formats.number(hidden.size) })}
                  </Table.Td>
                </Table.Tr>
              )}
              <Row row={row} day={day} {...look} />
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Row({ row, day, isPrinted, isDeclared }: Look & { readonly row: CountRow; readonly day: DaySummary }) {
  const formats = useStoreFormats();
  const { here, amounts, upstream, declared, declaredAmounts } = row;
  return (
    <Table.Tr fw={row.kind === 'all' ? 600 : 400}>
      <Table.Td>
        <Name row={row} />
      </Table.Td>
      <Table.Td ta="right">
        <Count n={here} link={!isPrinted && { to: '/records', search: searchFor(day, row) }} />
        {(amounts !== null || row.kind === 'all') && (
          <div className={classes.money}>
            <Money amounts={amounts} />
          </div>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Count n={upstream} link={!isPrinted && below('evidence')} />
      </Table.Td>
      {isDeclared && (
        <Table.Td ta="right">
          {declared !== null && <Count n={declared} link={!isPrinted && below('declared')} />}
          <div className={classes.money}>
            {declaredAmounts.map(
              ({ currency, declared: value }) =>
                value !== null && <span key={currency}>{formats.amount({ currency, value })}</span>,
            )}
          </div>
        </Table.Td>
      )}
      <Table.Td data-difference>
        <Differences row={row} />
      </Table.Td>
    </Table.Tr>
  );
}

function searchFor(day: DaySummary, row: CountRow): RecordSearch {
  return row.kind === 'earlier' ? salesOf(day, { interface: 'earlier' }) : salesFor(day, row);
}

/** The link from a number to its evidence, which is further down on the same page. */
function below(hash: string): LinkProps {
  return { to: '.', hash, search: (before) => before, replace: true };
}

function Count({
  n,
  link,
}: {
  readonly n: number | null;
  /** False if the number has no link. */
  readonly link: LinkProps | false;
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  if (n === null)
    return (
      <Text span size="sm" c="dimmed">
        {t('unknown')}
      </Text>
    );
  if (link === false) return formats.number(n);
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} {...link} />}>
      {formats.number(n)}
    </Anchor>
  );
}

function Name({ row: { kind, type, till } }: { readonly row: CountRow }) {
  const { t } = useTranslation('day');
  if (kind === 'all') return t('all');
  if (kind === 'only upstream') return t('onlyUpstream');
  if (kind === 'earlier')
    return (
      <>
        {t('earlier')}{' '}
        <Text span size="sm" c="dimmed">
          {t('earlierMeans')}
        </Text>
      </>
    );
  return (
    <>
      <ForeignText>{type ?? ''}</ForeignText> ·{' '}
      {kind === 'type' ? t('allTills') : <ForeignText>{till ?? ''}</ForeignText>}
    </>
  );
}

function Differences({ row }: { readonly row: CountRow }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const counts = differencesOf(row).map(({ name, n }) => t(name, { n: formats.number(n) }));
  const money = row.declaredAmounts.filter(differsInMoney).map((amount) => moneyDifference(amount, t, formats));
  const differences = [counts, money].filter((each) => each.length > 0).map((each) => each.join(', '));
  const notCompared = row.declaredAmounts.flatMap(({ currency, declared: value, difference }) =>
    difference === null && value !== null ? t('amountUnknown', { declared: formats.amount({ currency, value }) }) : [],
  );
  if (differences.length === 0 && row.upstream === null && row.declared === null) return null;
  return (
    <>
      {differences.map((each) => (
        <div key={each}>
          <StateMark tone="differs">{each}</StateMark>
        </div>
      ))}
      {row.isOutdated && (
        <Text span size="sm" c="dimmed">
          {t('atLastCheck')}
        </Text>
      )}
      {notCompared.map((each) => (
        <Text key={each} size="sm" c="dimmed">
          {each}
        </Text>
      ))}
      {differences.length === 0 && !row.isOutdated && notCompared.length === 0 && (
        <Text span size="sm" c="dimmed" className={classes.none ?? ''}>
          {t('none')}
        </Text>
      )}
    </>
  );
}
