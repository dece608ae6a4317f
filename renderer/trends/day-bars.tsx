// Shows one small bar per day: full, shorter or flat. The height has the same meaning as the colour.

import classes from './trends.module.css';

export interface DayBar {
  readonly date: string;
  /** The height of the bar, from 0 to 1; null for a day on which the store was closed. */
  readonly share: number | null;
  /** The tooltip. */
  readonly words: string;
}

/** Minimum height of a bar, as a share of the full height. */
const MIN_SHARE = 0.2;

/** Screen readers read `summary` instead of the bars. */
export function DayBars({ bars, summary }: { readonly bars: readonly DayBar[]; readonly summary: string }) {
  return (
    <div className={classes.bars} role="img" aria-label={summary}>
      {bars.map(({ date, share, words }) => (
        <span
          key={date}
          title={words}
          className={classes.bar}
          data-state={share === null ? 'closed' : share === 1 ? 'full' : 'short'}
          style={{ height: `${100 * Math.max(MIN_SHARE, share ?? 0)}%` }}
        />
      ))}
    </div>
  );
}
