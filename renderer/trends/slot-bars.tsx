// Shows one small bar per day or hour: full, shorter or flat. The height has the same meaning as the colour.

import type { Slot } from './comparison.ts';

import classes from './trends.module.css';

export interface SlotBar {
  readonly slot: Slot;
  /** The height of the bar, from 0 to 1; null while the store was closed. */
  readonly share: number | null;
  /** The tooltip. */
  readonly words: string;
}

/** Minimum height of a bar, as a share of the full height. */
const MIN_SHARE = 0.2;

/** Screen readers read `summary` instead of the bars. */
export function SlotBars({ bars, summary }: { readonly bars: readonly SlotBar[]; readonly summary: string }) {
  const isHourly = bars.some(({ slot }, index) => slot.date === bars[index + 1]?.slot.date);
  return (
    <div className={classes.bars} role="img" aria-label={summary} data-hourly={isHourly || undefined}>
      {bars.map(({ slot, share, words }, index) => (
        <span
          key={slot.from}
          data-first={(isHourly && index > 0 && slot.date !== bars[index - 1]?.slot.date) || undefined}
          title={words}
          className={classes.bar}
          data-state={share === null ? 'closed' : share === 1 ? 'full' : 'short'}
          style={{ height: `${100 * Math.max(MIN_SHARE, share ?? 0)}%` }}
        />
      ))}
    </div>
  );
}
