// Keyboard control of the list: j and k or the arrows, Page Up and Page Down, Home and End; Esc leaves the list. While a record
// is open, j and k open the next and the previous record.

import { type RefObject, useCallback, useContext, useEffect, useRef } from 'react';

import { isInDialog, isTyping } from '../lib/keyboard.ts';
import { NeighboursContext, useOpenNeighbour } from './neighbours.tsx';

/**
 * Returns a function that moves to a row. `active` is the row with the focus; `page` is the number of rows that Page Down
 * moves.
 */
export function useListKeys({
  rows,
  active,
  setActive,
  openId,
  scroller,
  page,
  scrollTo,
}: {
  readonly rows: readonly { readonly recordId: number }[];
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly openId: number | undefined;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly page: number;
  readonly scrollTo: (index: number) => void;
}): (index: number) => void {
  const neighbours = useContext(NeighboursContext);
  const openNeighbour = useOpenNeighbour();
  const last = Math.max(0, rows.length - 1);
  const toFocus = useRef<number>(undefined);
  const goTo = useCallback(
    (index: number): void => {
      const target = Math.max(0, Math.min(index, last));
      toFocus.current = target;
      setActive(target);
      scrollTo(target);
      focusRow(scroller, toFocus);
    },
    [last, setActive, scrollTo, scroller],
  );
  // Runs after every render, because the row may exist only after the list has scrolled.
  useEffect(() => focusRow(scroller, toFocus));

  // After closing a record, the focus returns to its row.
  const openIndex = openId === undefined ? -1 : rows.findIndex(({ recordId }) => recordId === openId);
  const lastOpen = useRef(-1);
  useEffect(() => {
    if (openIndex !== -1) {
      lastOpen.current = openIndex;
      scrollTo(openIndex);
    }
    if (openId !== undefined || lastOpen.current === -1) return;
    goTo(lastOpen.current);
    lastOpen.current = -1;
  }, [openId, openIndex, goTo, scrollTo]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
      const { key, target } = event;
      const isInList = scroller.current?.contains(target) === true;
      const step = key === 'j' ? 1 : key === 'k' ? -1 : 0;
      if (step !== 0 && openId !== undefined) {
        if (!isTyping(target) && !isInDialog()) openNeighbour(step > 0 ? neighbours.next : neighbours.previous);
        return;
      }
      if (!isInList && (step === 0 || isTyping(target) || isInDialog())) return;
      const to = isInList ? targetOf(key, active, page, last) : active;
      if (key === 'Escape') return target.blur();
      if (to === undefined) return;
      event.preventDefault();
      goTo(to);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [active, goTo, last, neighbours, openId, openNeighbour, page, scroller]);

  return goTo;
}

function targetOf(key: string, active: number, page: number, last: number): number | undefined {
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return active + 1;
    case 'k':
    case 'ArrowUp':
      return active - 1;
    case 'PageDown':
      return active + page;
    case 'PageUp':
      return active - page;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function focusRow(scroller: RefObject<HTMLElement | null>, toFocus: RefObject<number | undefined>): void {
  if (toFocus.current === undefined) return;
  const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${toFocus.current}"] a`);
  if (row == null) return;
  row.focus({ preventScroll: true });
  toFocus.current = undefined;
}
