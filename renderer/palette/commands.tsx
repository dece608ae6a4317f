// The commands of the palette: screens, stores and modes, tills, days, and the screens for acts. A command only opens a screen.

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  CalendarDays,
  Cloud,
  CirclePause,
  FlaskConical,
  KeyRound,
  List,
  type LucideIcon,
  Network,
  RotateCw,
  Search,
  ShoppingBasket,
  Store,
  UserPlus,
} from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { addDays } from '../../server/lib/calendar.ts';
import { listStoreDays } from '../../server/store-day.ts';
import { journalsQuery, tillsQuery } from '../api/queries.ts';
import { PAGES, SCREENS } from '../model/screens.ts';
import { kindOf } from '../model/search-kind.ts';
import { parseRecordSearch } from '../model/search-parameters.ts';
import { useSelectedJournal, useIsManager, useStoreFormats, useSwitchJournal } from '../model/selected-journal.ts';
import { todayOf } from '../model/today.ts';
import { isProbablyId, matchCost, wordsOf } from './match.ts';

export interface Command {
  readonly id: string;
  readonly text: string;
  /** The category of the command, in one word. */
  readonly kind: string;
  readonly Icon: LucideIcon;
  readonly go: () => void;
}

/** A command that the user finds by typing words of its text, or words in `also`. */
type Findable = Command & { readonly also?: string };

/** Acts of managers, with the screen where they are done. */
const ACTS = [
  { name: 'newKey', to: '/tills', Icon: KeyRound },
  { name: 'rotateKey', to: '/tills', Icon: KeyRound },
  { name: 'setUpstream', to: '/upstream', Icon: Cloud },
  { name: 'pauseLane', to: '/upstream', Icon: CirclePause },
  { name: 'tryNow', to: '/upstream', Icon: RotateCw },
  { name: 'heldRecords', to: '/upstream', Icon: RotateCw },
  { name: 'openNetwork', to: '/network', Icon: Network },
  { name: 'addUser', to: '/settings', Icon: UserPlus },
] as const;

/** The number of past days for which the palette has commands. */
const DAYS_BACK = 2 * 366;
const MAX_RESULTS = 12;
/** Maximum number of days among the results. Days look alike, so more of them would not help the user. */
const MAX_DAY_RESULTS = 4;

/** All commands while the text is empty, otherwise the best matches. */
export function useCommands(typed: string): readonly Command[] {
  const text = typed.trim();
  const fixed = usePlaces();
  const days = useDays();
  const find = useFind();
  return useMemo(() => {
    if (text === '') return [...fixed, ...days.slice(0, 4)];
    const words = wordsOf(text);
    const fitting = bestOf(words, fixed, MAX_RESULTS);
    const fittingDays = bestOf(words, days, MAX_DAY_RESULTS);
    const others = [...fitting, ...fittingDays].slice(0, MAX_RESULTS);
    return isProbablyId(text) ? [find(text), ...others] : [...others, find(text)];
  }, [text, fixed, days, find]);
}

/** Commands for screens, other stores and modes, acts, tills and calendars. */
function usePlaces(): readonly Findable[] {
  const { t } = useTranslation('palette');
  const { t: names } = useTranslation('app');
  const navigate = useNavigate();
  const switchJournal = useSwitchJournal();
  const here = useSelectedJournal();
  const isManager = useIsManager();
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const { data: tills = [] } = useQuery({ ...tillsQuery(here?.id ?? 0), enabled: here !== undefined });
  return useMemo(() => {
    const screens = [...SCREENS, ...PAGES].map(({ to, name, Icon }): Findable => ({
      id: `screen-${name}`,
      text: names(name),
      kind: t('screen'),
      Icon,
      go: () => void navigate({ to }),
    }));
    const others = journals.filter(({ id }) => id !== here?.id);
    const stores = others.map(({ id, administration, mode }): Findable => ({
      id: `journal-${id}`,
      text: t('switchTo', { administration, mode: names(mode === 'test' ? 'testMode' : 'production') }),
      kind: t('store'),
      Icon: mode === 'test' ? FlaskConical : Store,
      go: () => switchJournal(id),
    }));
    const acts = ACTS.map(({ name, to, Icon }): Findable => ({
      id: `act-${name}`,
      text: t(name),
      kind: t('act'),
      Icon,
      go: () => void navigate({ to }),
    }));
    const ofTills = tills.map(({ id, label }): Findable => ({
      id: `till-${id}`,
      text: t('recordsOf', { name: label }),
      kind: t('till'),
      Icon: ShoppingBasket,
      go: () => void navigate({ to: '/records', search: { till: id } }),
    }));
    const calendars = (['thisMonth', 'thisYear'] as const).map((name): Findable => {
      const year = Number(here === undefined ? 0 : todayOf(here).slice(0, 4));
      return {
        id: `calendar-${name}`,
        text: t(name),
        kind: names('days'),
        Icon: CalendarDays,
        go: () => void navigate({ to: '/days', search: name === 'thisYear' ? { year } : {} }),
      };
    });
    return [...screens, ...stores, ...(isManager ? acts : []), ...ofTills, ...calendars];
  }, [t, names, navigate, switchJournal, here, isManager, journals, tills]);
}

/** Commands for past days, newest day first. Each day has a command for its verdict and a command for its records. */
function useDays(): readonly Findable[] {
  const { t } = useTranslation('palette');
  const navigate = useNavigate();
  const store = useSelectedJournal();
  const formats = useStoreFormats();
  return useMemo(() => {
    if (store === undefined) return [];
    const today = todayOf(store);
    const days = listStoreDays(addDays(today, 1 - DAYS_BACK), today, store.dayRules).toReversed();
    return days.flatMap(({ date, from, to }, back): readonly Findable[] => {
      const name = back === 0 ? t('today') : back === 1 ? t('yesterday') : formats.date(date);
      const each = { kind: t('day'), also: `${formats.date(date)} ${date}` };
      return [
        {
          ...each,
          id: `day-${date}`,
          text: t('verdictOf', { name }),
          Icon: CalendarDays,
          go: () => void navigate({ to: '/days/$date', params: { date } }),
        },
        {
          ...each,
          id: `records-${date}`,
          text: t('recordsOf', { name }),
          Icon: List,
          go: () => void navigate({ to: '/records', search: { from, to } }),
        },
      ];
    });
  }, [t, navigate, store, formats]);
}

/** A command that searches for the typed text as an id. */
function useFind(): (text: string) => Findable {
  const { t } = useTranslation('palette');
  const navigate = useNavigate();
  return useCallback(
    (text) => ({
      id: 'find',
      text: t('find', { id: text }),
      kind: t('record'),
      Icon: Search,
      go: () => void navigate({ to: '/records', search: parseRecordSearch({ [kindOf(text, undefined)]: text }) }),
    }),
    [t, navigate],
  );
}

function bestOf(words: readonly string[], commands: readonly Findable[], most: number): Findable[] {
  if (words.length === 0) return [];
  return commands
    .map((command) => ({ command, cost: matchCost(words, wordsOf(`${command.text} ${command.also ?? ''}`)) }))
    .filter(({ cost }) => cost !== undefined)
    .toSorted((a, b) => (a.cost ?? 0) - (b.cost ?? 0))
    .slice(0, most)
    .map(({ command }) => command);
}
