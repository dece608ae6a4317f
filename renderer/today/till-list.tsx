// The tills of today: their sales, their last call, and whether they are unusually silent.

import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import type { OverviewView, TillToday } from '../../server/contract/overview.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { Money } from '../components/money.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

import classes from '../components/count-link.module.css';

/** A till counts as silent after this number of its usual gaps between records, but never before a quarter of an hour. */
const SILENCE = { gaps: 5, minMs: 15 * 60_000 };

/** Whether a till is unusually silent. A till without enough history never counts as silent. */
function isSilent({ lastAt, usualGapMs }: TillToday, now: number): boolean {
  return lastAt !== null && usualGapMs !== null && now - lastAt > Math.max(SILENCE.minMs, SILENCE.gaps * usualGapMs);
}

export function TillList({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const { tills, now, day } = overview;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('tills')}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="xs">
        {tills.map((till) => (
          <Link
            key={till.id}
            to="/records"
            search={{ till: till.id, status: 'NEW', from: day.from, to: day.to }}
            className={`plain-link ${classes.count}`}
          >
            <Group justify="space-between" wrap="nowrap">
              <Text fw={600} truncate>
                <ForeignText>{till.label}</ForeignText>
              </Text>
              <Text fw={600}>{formats.number(till.records)}</Text>
            </Group>
            {till.amounts !== null && <Money amounts={till.amounts} fw={600} />}
            {till.lastAt === null ? (
              <Text size="sm" c="dimmed">
                {t('neverSold')}
              </Text>
            ) : till.silence !== null ? (
              <StateMark tone="differs">
                {t(till.silence.sureness, { span: formats.span(now - till.silence.since) })}
              </StateMark>
            ) : isSilent(till, now) ? (
              <StateMark tone="unknown">
                {t('silent', { span: formats.span(now - till.lastAt), usual: formats.span(till.usualGapMs ?? 0) })}
              </StateMark>
            ) : (
              <Text size="sm" c="dimmed" title={formats.exact(till.lastAt)}>
                {t('lastCall', { time: formats.time(till.lastAt) })}
              </Text>
            )}
          </Link>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
