// A label on the axis of a bar chart, at the left edge of a bar: 11:00 stands where the bar for 11:00 begins. The chart library
// would place the label below the middle of the bar.

import { Text, usePlotArea } from 'recharts';

export function SlotStartTick({
  x = 0,
  y = 0,
  payload,
  slots,
  format,
}: {
  readonly slots: number;
  readonly format: (value: number) => string;
  /** The chart library sets `x`, `y` and `payload`. */
  readonly x?: number;
  readonly y?: number;
  readonly payload?: { readonly value: number };
}) {
  const plot = usePlotArea();
  const left = x - (plot?.width ?? 0) / slots / 2;
  return (
    <g>
      <line x1={left} x2={left} y1={y - 8} y2={y - 3} stroke="currentColor" />
      <Text x={left} y={y} textAnchor="middle" verticalAnchor="start" fontSize={12} fill="currentColor">
        {payload === undefined ? '' : format(payload.value)}
      </Text>
    </g>
  );
}
