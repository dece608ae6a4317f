// A state as colour, icon and word, never as colour alone.

import { Text } from '@mantine/core';
import { CircleAlert, CircleCheck, CircleHelp, Clock, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

import type { Tone } from '../theme/theme.ts';

const ICONS = {
  fine: CircleCheck,
  waiting: Clock,
  differs: TriangleAlert,
  bad: CircleAlert,
  unknown: CircleHelp,
} as const;

export function StateMark({
  tone,
  children,
  size = 'sm',
  isPlain = false,
  Icon = ICONS[tone],
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly size?: string;
  /** Whether the text has normal weight, as for the usual state in a long list. */
  readonly isPlain?: boolean;
  /** An icon to show instead of the usual icon of the tone. */
  readonly Icon?: LucideIcon;
}) {
  return (
    <Text
      component="span"
      size={size}
      fw={isPlain ? 400 : 600}
      c={`var(--cf-${tone})`}
      style={{ display: 'inline-flex', alignItems: 'flex-start', gap: 6 }}
    >
      {/* As tall as a line, so that the icon stands beside the first line of a long text. */}
      <Icon size={16} aria-hidden style={{ flex: 'none', height: '1lh' }} />
      <span>{children}</span>
    </Text>
  );
}
