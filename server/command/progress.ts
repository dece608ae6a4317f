// Shows the progress of a long command in one line on standard error, which is rewritten as the work continues. Standard output
// gets only the result.

import { clearLine, cursorTo } from 'node:readline';

export interface ProgressLine {
  /** Rewrites the line. Does nothing if the output is not a terminal, or is JSON. */
  show(step: string, amount?: Amount): void;
  /** Removes the line; call before the result is printed. */
  clear(): void;
}

interface Amount {
  readonly done: number;
  readonly total: number;
  readonly unit: 'records' | 'MB';
}

const NO_LINE: ProgressLine = { show: () => {}, clear: () => {} };
const MB = 1_000_000;

/**
 * Shows progress only in a terminal, because a log file would keep every rewritten line. With --json, shows nothing, because a
 * program reads the output.
 */
export function openProgressLine(
  { json }: { readonly json?: boolean },
  stream: NodeJS.WriteStream = process.stderr,
): ProgressLine {
  if (!stream.isTTY || json === true) return NO_LINE;
  const clear = (): void => {
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
  return {
    show(step, amount) {
      clear();
      const line = amount === undefined ? `${step} …` : `${step}: ${describe(amount)}`;
      // The text is cut to the terminal's width, because a line that wraps cannot be rewritten.
      stream.write(line.slice(0, (stream.columns || 80) - 1));
    },
    clear,
  };
}

function describe({ done, total, unit }: Amount): string {
  const divisor = unit === 'MB' ? MB : 1;
  const percent = Math.min(100, Math.floor((100 * done) / Math.max(1, total)));
  return `${percent} %, ${Math.floor(done / divisor)} of ${Math.ceil(total / divisor)} ${unit}`;
}
