// The three sides of a day: what is here, what is upstream, what was declared, by type and till, with the difference.

import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { DayView } from '../../server/contract.ts';
import { useStoreFormats } from '../app/journal.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { salesFor, salesOf } from './doors.ts';
import { differencesOf, type Side, sidesOf } from './sides.ts';

import classes from './days.module.css';

/** So many rows of types and tills have room on paper. */
const MOST_PRINTED = 14;

export function SidesTable({
  view,
  isPrinted = false,
}: {
  readonly view: DayView;
  /** Then it is short, and leads nowhere. */
  readonly isPrinted?: boolean;
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const { day } = view;
  const all = sidesOf(view);
  const parts = all.filter(({ kind }) => kind === 'row' || kind === 'type');
  const hidden = new Set(isPrinted ? parts.slice(MOST_PRINTED) : []);
  const sides = all.filter((side) => !hidden.has(side));
  if (day.here + day.earlier + (day.upstream ?? 0) === 0 && day.declared === null) return null;
  const isDeclared = sides.some((side) => side.declared !== null);
  const number = (n: number | null, door?: (text: string) => ReactNode): ReactNode => {
    if (n === null)
      return (
        <Text span size="sm" c="dimmed">
          {t('unknown')}
        </Text>
      );
    return !isPrinted && door !== undefined ? door(formats.number(n)) : formats.number(n);
  };
  return (
    <Stack gap="xs" component="section" aria-label={t('sides')}>
      <Title order={3} size="h5">
        {t('sides')}
      </Title>
      <Table
        maw={860}
        verticalSpacing={isPrinted ? 2 : 6}
        horizontalSpacing="xs"
        className={isPrinted ? '' : (classes.sides ?? '')}
        data-declared={isDeclared || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('what')}</Table.Th>
            <Table.Th ta="right">{t('here')}</Table.Th>
            <Table.Th ta="right">{t('upstream')}</Table.Th>
            {isDeclared && <Table.Th ta="right">{t('declared')}</Table.Th>}
            <Table.Th data-difference>{t('difference')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sides.map((side) => (
            <Fragment key={`${side.kind} ${side.type} ${side.tillId}`}>
              {side.kind === 'all' && hidden.size > 0 && (
                <Table.Tr>
                  <Table.Td colSpan={5}>
                    {t('andMore', { count: hidden.size, n: formats.number(hidden.size) })}
                  </Table.Td>
                </Table.Tr>
              )}
              <Table.Tr fw={side.kind === 'all' ? 600 : 400}>
                <Table.Td>
                  <Name side={side} />
                </Table.Td>
                <Table.Td ta="right">
                  {number(side.here, (text) => (
                    <RecordsLink search={salesFor(day, side)}>{text}</RecordsLink>
                  ))}
                </Table.Td>
                <Table.Td ta="right">
                  {number(side.upstream, (text) => (
                    <BelowLink hash="evidence">{text}</BelowLink>
                  ))}
                </Table.Td>
                {isDeclared && (
                  <Table.Td ta="right">
                    {side.declared !== null &&
                      number(side.declared, (text) => <BelowLink hash="declared">{text}</BelowLink>)}
                  </Table.Td>
                )}
                <Table.Td data-difference>
                  <Differences side={side} />
                </Table.Td>
              </Table.Tr>
            </Fragment>
          ))}
          {day.earlier > 0 && (
            <Table.Tr>
              <Table.Td>{t('earlier')}</Table.Td>
              <Table.Td ta="right">
                {number(day.earlier, (text) => (
                  <RecordsLink search={salesOf(day, { interface: 'earlier' })}>{text}</RecordsLink>
                ))}
              </Table.Td>
              <Table.Td colSpan={isDeclared ? 3 : 2}>
                <Text size="sm" c="dimmed">
                  {t('earlierMeans')}
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function RecordsLink({ search, children }: { readonly search: ReturnType<typeof salesOf>; readonly children: string }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/records" search={search} />}>
      {children}
    </Anchor>
  );
}

/** To where it is told how a number is known. */
function BelowLink({ hash, children }: { readonly hash: string; readonly children: string }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="." hash={hash} search={(before) => before} replace />}>
      {children}
    </Anchor>
  );
}

function Name({ side: { kind, type, till } }: { readonly side: Side }) {
  const { t } = useTranslation('day');
  if (kind === 'all') return t('all');
  if (kind === 'only upstream') return t('onlyUpstream');
  return `${type} · ${kind === 'type' ? t('allTills') : till}`;
}

function Differences({ side }: { readonly side: Side }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const differences = differencesOf(side);
  if (differences.length > 0)
    return (
      <StateMark tone="differs">
        {differences.map(({ name, n }) => t(name, { n: formats.number(n) })).join(', ')}
      </StateMark>
    );
  if (side.upstream === null && side.declared === null) return null;
  return (
    <Text span size="sm" c="dimmed" className={classes.none ?? ''}>
      {t('none')}
    </Text>
  );
}
