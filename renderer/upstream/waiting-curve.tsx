// How many records waited in the last 24 hours: a curve, and the same as a table.

import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { Button, Group, Stack, Table, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { WaitingSample } from '../../server/contract.ts';
import { useStoreFormats } from '../app/journal.tsx';
import { hourly, thin, wholeHours } from './waiting.ts';

export default function WaitingCurve({ samples }: { readonly samples: readonly WaitingSample[] }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const [isTable, setTable] = useState(false);
  const points = thin(samples).map(({ at, waiting }) => ({ at, waiting }));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {t('curve')}
        </Title>
        <Button variant="subtle" size="sm" className="no-print" onClick={() => setTable(!isTable)}>
          {t(isTable ? 'asChart' : 'asTable')}
        </Button>
      </Group>
      {isTable ? (
        <Table.ScrollContainer minWidth={300} mah={320}>
          <Table striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('hourFrom')}</Table.Th>
                <Table.Th ta="right">{t('mostWaiting')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {hourly(samples).map(({ at, waiting }) => (
                <Table.Tr key={at}>
                  <Table.Td title={formats.exact(at)}>{formats.time(at)}</Table.Td>
                  <Table.Td ta="right">{formats.number(waiting)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : (
        <AreaChart
          h={180}
          data={points}
          dataKey="at"
          series={[{ name: 'waiting', label: t('waitingHere'), color: 'var(--cf-waiting)' }]}
          curveType="linear"
          withDots={false}
          areaProps={{ isAnimationActive: false }}
          xAxisProps={{
            type: 'number',
            scale: 'time',
            domain: ['dataMin', 'dataMax'],
            ticks: [...wholeHours(points[0]?.at ?? 0, points.at(-1)?.at ?? 0)],
            tickFormatter: (at: number) => formats.clock(at),
            minTickGap: 24,
          }}
          yAxisProps={{ allowDecimals: false }}
          tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? formats.time(at) : '') }}
          valueFormatter={formats.number}
        />
      )}
    </Stack>
  );
}
