// Sales per quarter hour, with outages shaded and conflicts marked, or as a table.

import { BarChart } from '@mantine/charts';
import { Box, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type RectangleProps, ReferenceArea } from 'recharts';

import type { OverviewView } from '../../server/contract/overview.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

const QUARTER_SECONDS = 900;
/** Minimum width in pixels, so that a short outage stays visible. */
const MIN_WIDTH_PX = 2;
/** Maximum outages in the text below the chart, the latest ones. */
const MAX_LISTED = 8;

export default function QuarterChart({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const { quarters, outages, now } = overview;
  const first = quarters[0]?.startsAt ?? 0;
  const last = Math.max(quarters.at(-1)?.startsAt ?? 0, Math.floor(now / 1000 / QUARTER_SECONDS) * QUARTER_SECONDS);
  const byStart = new Map(quarters.map((quarter) => [quarter.startsAt, quarter.records]));
  const rows = Array.from({ length: Math.min(100, (last - first) / QUARTER_SECONDS + 1) }, (_, i) => {
    const startsAt = first + i * QUARTER_SECONDS;
    const records = byStart.get(startsAt);
    return { startsAt, sales: records?.NEW ?? 0, conflicts: records?.ERROR ?? 0 };
  });
  const clockOf = (startsAt: number): string => formats.clock(startsAt * 1000);
  /** The position of an instant, counted in bars from the left edge. An instant outside the chart is at its nearest edge. */
  const barsTo = (at: number): number => Math.min(Math.max((at / 1000 - first) / QUARTER_SECONDS, 0), rows.length);
  const shaded = outages
    .filter(({ state, to }) => state !== 'paused' && (to ?? now) / 1000 >= first)
    .map(({ laneId, from, to }) => ({
      key: `${laneId} ${from}`,
      from: barsTo(from),
      to: barsTo(to ?? now),
      words: `${formats.clock(from)}–${to === null ? t('now') : formats.clock(to)}`,
    }));

  return (
    <ChartOrTable
      title={t('perQuarter')}
      headings={[t('from'), t('sales'), t('conflicts')]}
      rows={rows.map(({ startsAt, sales, conflicts }) => ({
        name: clockOf(startsAt),
        exact: formats.exact(startsAt * 1000),
        numbers: [sales, conflicts],
      }))}
    >
      <BarChart
        h={220}
        data={rows}
        dataKey="startsAt" // unique, unlike the clock time when clocks go back
        type="stacked"
        series={[
          { name: 'sales', label: t('sales'), color: 'var(--mantine-primary-color-filled)' },
          { name: 'conflicts', label: t('conflicts'), color: 'var(--cf-differs)' },
        ]}
        withLegend={rows.some(({ conflicts }) => conflicts > 0)}
        barProps={{ isAnimationActive: false, maxBarSize: 48 }}
        yAxisProps={{ allowDecimals: false }}
        xAxisProps={{ tickFormatter: clockOf }}
        tooltipProps={{ labelFormatter: (startsAt) => (typeof startsAt === 'number' ? clockOf(startsAt) : '') }}
        valueFormatter={formats.number}
      >
        {/* One area over the whole width, because an area cannot begin or end within a bar. */}
        <ReferenceArea
          x1={first}
          x2={rows.at(-1)?.startsAt ?? first}
          shape={({ x = 0, y = 0, width = 0, height = 0 }: RectangleProps) => (
            <g fill="var(--cf-unknown)" fillOpacity={0.22}>
              {shaded.map(({ key, from, to }) => (
                <rect
                  key={key}
                  x={x + (width * from) / rows.length}
                  y={y}
                  width={Math.max((width * (to - from)) / rows.length, MIN_WIDTH_PX)}
                  height={height}
                />
              ))}
            </g>
          )}
        />
      </BarChart>
      {shaded.length > 0 && (
        <Text size="sm" c="dimmed">
          <Box component="span" bg="var(--cf-unknown)" opacity={0.4} display="inline-block" w={10} h={10} mr={6} />
          {t('outages', {
            spans: shaded
              .slice(-MAX_LISTED)
              .map(({ words }) => words)
              .join(', '),
          })}
        </Text>
      )}
    </ChartOrTable>
  );
}
