// One small bar per day: full, shorter or flat. The height tells the same as the colour.

import classes from './trends.module.css';

export interface DayBar {
  readonly date: string;
  /** 0 to 1; null for a closed day. */
  readonly share: number | null;
  /** The tooltip. */
  readonly words: string;
}

/** Height of the shortest bar, as a share. */
const MIN_SHARE = 0.2;

/** `summary` replaces the bars for people who cannot see them. */
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
