// The number of waiting records in the last 24 hours, as a curve or a table.

import { AreaChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';

import type { WaitingSample } from '../../server/contract/lanes.ts';
import { ChartOrTable } from '../components/chart-or-table.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { hourlyPeaks, downsample, ticksBetween } from './waiting-samples.ts';

export default function WaitingCurve({ samples }: { readonly samples: readonly WaitingSample[] }) {
  const { t } = useTranslation('upstream');
  const formats = useStoreFormats();
  const points = downsample(samples).map(({ at, waiting }) => ({ at, waiting }));
  return (
    <ChartOrTable
      title={t('curve')}
      headings={[t('hourFrom'), t('mostWaiting')]}
      rows={hourlyPeaks(samples).map(({ at, waiting }) => ({
        name: formats.time(at),
        exact: formats.exact(at),
        numbers: [waiting],
      }))}
    >
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
          ticks: [...ticksBetween(points[0]?.at ?? 0, points.at(-1)?.at ?? 0)],
          tickFormatter: (at: number) => formats.clock(at),
          minTickGap: 24,
        }}
        yAxisProps={{ allowDecimals: false }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? formats.time(at) : '') }}
        valueFormatter={formats.number}
      />
    </ChartOrTable>
  );
}
