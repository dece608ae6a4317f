// Opens the command palette by its button or by Ctrl+K (⌘K on a Mac). The palette's own chunk loads at first use.

import { Button, Kbd, VisuallyHidden } from '@mantine/core';
import { Search } from 'lucide-react';
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isInDialog } from '../lib/keyboard.ts';
import { lazyPart } from '../lib/lazy-part.tsx';

const Palette = lazyPart(async () => (await import('../palette/palette.tsx')).default);

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function PaletteButton() {
  const { t } = useTranslation('palette');
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  if (isOpen && !wasOpened) setOpened(true);
  const focusedBefore = useRef<Element>(null);
  useLayoutEffect(() => {
    if (isOpen) focusedBefore.current = document.activeElement;
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return undefined;
    return () => {
      if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
    };
  }, [isOpen]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey;
      if (!isCommand || event.key.toLowerCase() !== 'k') return;
      event.preventDefault(); // prevents the browser's own action for Ctrl+K
      setOpen((before) => !before && !isInDialog());
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <>
      <Button
        variant="default"
        size="xs"
        px="xs"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title={t('open')}
      >
        <Search size={14} aria-hidden />
        <VisuallyHidden component="span">{t('title')}</VisuallyHidden>
        <Kbd size="xs" ml={6} visibleFrom="md">
          {IS_MAC ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </Button>
      {wasOpened && (
        <Suspense>
          <Palette isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
