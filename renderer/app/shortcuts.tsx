// Keyboard shortcuts: `g` and a letter opens a screen, `/` searches, `?` shows the list.

import { useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';

import { isInDialog, isTyping } from '../lib/keyboard.ts';
import { lazyPart } from '../lib/lazy-part.tsx';
import { SCREENS } from '../model/screens.ts';

const ShortcutList = lazyPart(async () => (await import('./shortcut-list.tsx')).default);

/** Time-out for the letter after `g`. */
const SECOND_KEY_MS = 1500;

export function Shortcuts() {
  const [isShown, setShown] = useState(false);
  const navigate = useNavigate();

  useEffect(() => {
    let pressedG = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isInDialog()) return;
      const place = SCREENS.find(({ letter }) => letter === event.key);
      if (place !== undefined && event.timeStamp - pressedG < SECOND_KEY_MS) void navigate({ to: place.to });
      else if (event.key === '/') {
        event.preventDefault();
        void navigate({ to: '/records', search: (before) => before, hash: 'search' });
      } else if (event.key === '?') setShown(true);
      pressedG = event.key === 'g' ? event.timeStamp : -Infinity;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);

  return isShown ? (
    <Suspense>
      <ShortcutList onClose={() => setShown(false)} />
    </Suspense>
  ) : null;
}
