// Shows the sales of a period and of the period before, as pairs of bars or as a table.

import { BarChart } from '@mantine/charts';
import { Text } from '@mantine/core';
import type { ReactElement } from 'react';

import { ChartOrTable } from '../components/chart-or-table.tsx';
import { roundTicks } from '../lib/chart-ticks.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

export interface PairRow {
  /** The position of the row on the axis. It must be unique. */
  readonly at: number;
  /** The label on the axis. */
  readonly label: string;
  /** The name in the table and the tooltip. */
  readonly name: string;
  readonly sales: number | null;
  readonly before: number | null;
}

export default function PairChart({
  title,
  heading,
  names,
  rows,
  ticks,
  tick,
}: {
  readonly title: string;
  /** The heading of the first column of the table. */
  readonly heading: string;
  /** The names of the two periods. */
  readonly names: { readonly sales: string; readonly before: string };
  readonly rows: readonly PairRow[];
  /** The positions with a label on the axis. By default, all positions have a label. */
  readonly ticks?: readonly number[];
  readonly tick?: ReactElement;
}) {
  const formats = useStoreFormats();
  const numbers = roundTicks(Math.max(0, ...rows.flatMap(({ sales, before }) => [sales ?? 0, before ?? 0])));
  const rowAt = (at: unknown): PairRow | undefined => rows.find((row) => row.at === at);
  return (
    <ChartOrTable
      title={title}
      headings={[heading, names.sales, names.before]}
      rows={rows.map(({ name, sales, before }) => ({ name, numbers: [sales, before] }))}
    >
      <BarChart
        h={220}
        data={rows.map((row) => ({ ...row }))}
        dataKey="at"
        series={[
          { name: 'before', label: names.before, color: 'var(--cf-unknown)' },
          { name: 'sales', label: names.sales, color: 'var(--mantine-primary-color-filled)' },
        ]}
        withLegend
        barProps={{ isAnimationActive: false, maxBarSize: 28 }}
        barChartProps={{ accessibilityLayer: false, barGap: 1 }}
        yAxisProps={{ ticks: numbers, domain: [0, numbers.at(-1) ?? 1], interval: 0 }}
        xAxisProps={{
          ...(ticks !== undefined && { ticks: [...ticks], interval: 0 }),
          ...(tick !== undefined && { tick }),
          tickFormatter: (at: number) => rowAt(at)?.label ?? '',
        }}
        tooltipProps={{ labelFormatter: (at) => <Text span>{rowAt(at)?.name}</Text> }}
        valueFormatter={formats.number}
      />
    </ChartOrTable>
  );
}
