// Sales per quarter hour, as a chart or a table. The chart shades outages and highlights conflicts.

import { BarChart } from '@mantine/charts';
import { Box, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type RectangleProps, ReferenceArea } from 'recharts';

import type { OverviewView } from '../../server/contract/overview.ts';
import { clockAt } from '../../server/store-day.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { SlotStartTick } from '../components/slot-start-tick.tsx';
import { hourTicks, roundTicks } from '../lib/chart-ticks.ts';
import { useJournal, useStoreFormats } from '../model/selected-journal.ts';
import { type Span, spansOf } from './outage-spans.ts';

const QUARTER_SECONDS = 900;
/** Minimum width in pixels, so that a short outage stays visible. */
const MIN_WIDTH_PX = 2;
/** Maximum outages in the text below the chart. If there are more, only the latest appear. */
const MAX_LISTED = 8;

export default function QuarterChart({ overview }: { readonly overview: OverviewView }) {
  const { t } = useTranslation('today');
  const formats = useStoreFormats();
  const { timeZone } = useJournal();
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
  const spans = spansOf(outages, first * 1000, now);
  const spanWords = ({ from, to }: Span): string => {
    const [begin, end] = [formats.clock(from), to === now ? t('now') : formats.clock(to)];
    return begin === end ? begin : `${begin}–${end}`;
  };
  const numbers = roundTicks(Math.max(0, ...rows.map(({ sales, conflicts }) => sales + conflicts)));

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
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ ticks: numbers, domain: [0, numbers.at(-1) ?? 1], interval: 0 }}
        xAxisProps={{
          ticks: hourTicks(
            rows.map(({ startsAt }) => startsAt),
            (startsAt) => clockAt(startsAt, timeZone).time,
          ),
          interval: 0,
          tick: <SlotStartTick slots={rows.length} format={clockOf} />,
        }}
        tooltipProps={{ labelFormatter: (startsAt) => (typeof startsAt === 'number' ? clockOf(startsAt) : '') }}
        valueFormatter={formats.number}
      >
        {/* One area over the whole width, because an area cannot begin or end within a bar. */}
        <ReferenceArea
          x1={first}
          x2={rows.at(-1)?.startsAt ?? first}
          shape={({ x = 0, y = 0, width = 0, height = 0 }: RectangleProps) => (
            <g fill="var(--cf-unknown)" fillOpacity={0.22}>
              {spans.map(({ from, to }) => (
                <rect
                  key={from}
                  x={x + (width * barsTo(from)) / rows.length}
                  y={y}
                  width={Math.max((width * (barsTo(to) - barsTo(from))) / rows.length, MIN_WIDTH_PX)}
                  height={height}
                />
              ))}
            </g>
          )}
        />
      </BarChart>
      {spans.length > 0 && (
        <Text size="sm" c="dimmed">
          <Box component="span" bg="var(--cf-unknown)" opacity={0.4} display="inline-block" w={10} h={10} mr={6} />
          {t('outages', {
            spans: spans.slice(-MAX_LISTED).map(spanWords).join(', '),
          })}
        </Text>
      )}
    </ChartOrTable>
  );
}
