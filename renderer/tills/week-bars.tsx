// The sales of a till on the last seven days as small bars, and in words.

import { useTranslation } from 'react-i18next';

import { useStoreFormats } from '../model/selected-journal.ts';

const HEIGHT_PX = 32;
const WIDTH_PX = 10;
const GAP_PX = 4;
/** Minimum height of a bar, so that a day without sales stays visible. */
const MIN_HEIGHT_PX = 2;

export function WeekBars({ week }: { readonly week: readonly number[] }) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const most = Math.max(...week, 1);
  return (
    <svg
      role="img"
      aria-label={t('week', { numbers: week.map(formats.number).join(', ') })}
      width={week.length * (WIDTH_PX + GAP_PX) - GAP_PX}
      height={HEIGHT_PX}
    >
      <title>{t('week', { numbers: week.map(formats.number).join(', ') })}</title>
      {week.map((sales, day) => {
        const height = Math.max(MIN_HEIGHT_PX, Math.round((sales / most) * HEIGHT_PX));
        return (
          <rect
            // A day has no id, so its position is its key.
            key={day}
            x={day * (WIDTH_PX + GAP_PX)}
            y={HEIGHT_PX - height}
            width={WIDTH_PX}
            height={height}
            rx={1}
            fill={sales === 0 ? 'var(--cf-line)' : 'var(--mantine-primary-color-filled)'}
          />
        );
      })}
    </svg>
  );
}
