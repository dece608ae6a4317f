// The state of a store day as colour, icon and word.

import { CircleCheck, CircleHelp, Clock, Dot, EqualNot, type LucideIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { DayState } from '../model/day-state.ts';
import type { Tone } from '../theme/theme.ts';
import { StateMark } from './state-mark.tsx';

export const LOOK_OF_DAY: Record<DayState, { readonly tone: Tone; readonly Icon: LucideIcon }> = {
  complete: { tone: 'fine', Icon: CircleCheck },
  waiting: { tone: 'waiting', Icon: Clock },
  differs: { tone: 'differs', Icon: EqualNot },
  'cannot tell': { tone: 'unknown', Icon: CircleHelp },
  closed: { tone: 'unknown', Icon: Dot },
};

export function VerdictMark({ state, size = 'sm' }: { readonly state: DayState; readonly size?: string }) {
  const { t } = useTranslation('verdict');
  return (
    <StateMark {...LOOK_OF_DAY[state]} size={size}>
      {t(state)}
    </StateMark>
  );
}
