// The sales of a till on the last seven days as small bars, and in words.

import { useTranslation } from 'react-i18next';

import { useStoreFormats } from '../model/selected-journal.ts';

const HEIGHT = 32;
const WIDTH = 10;
const APART = 4;
/** A day without sales stays visible. */
const LEAST = 2;

export function WeekBars({ week }: { readonly week: readonly number[] }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const most = Math.max(...week, 1);
  return (
    <svg
      role="img"
      aria-label={t('week', { numbers: week.map(formats.number).join(', ') })}
      width={week.length * (WIDTH + APART) - APART}
      height={HEIGHT}
    >
      <title>{t('week', { numbers: week.map(formats.number).join(', ') })}</title>
      {week.map((sales, day) => {
        const height = Math.max(LEAST, Math.round((sales / most) * HEIGHT));
        return (
          <rect
            // The position is the only identity of a day.
            key={day}
            x={day * (WIDTH + APART)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
            rx={1}
            fill={sales === 0 ? 'var(--cf-line)' : 'var(--mantine-primary-color-filled)'}
          />
        );
      })}
    </svg>
  );
}
