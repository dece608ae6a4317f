// The keyboard: `g` and a letter goes to a screen, `/` to the search, `?` shows what there is.

import { Kbd, Modal, Table } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

const PLACES = {
  t: '/',
  r: '/records',
  f: '/refused',
  u: '/upstream',
  k: '/tills',
  a: '/activity',
  s: '/settings',
} as const;
const NAMES = {
  t: 'today',
  r: 'records',
  f: 'refused',
  u: 'upstream',
  k: 'tills',
  a: 'activity',
  s: 'settings',
} as const;
const IN_LISTS = [
  [['/'], 'search'],
  [['j', 'k'], 'nextInList'],
  [['Enter'], 'openInList'],
  [['Esc'], 'leaveList'],
] as const;
type Letter = keyof typeof PLACES;
const LETTERS = Object.keys(PLACES) as Letter[];
/** The letter after `g` comes within. */
const SECOND_KEY_MS = 1500;

export function Shortcuts() {
  const { t } = useTranslation('app');
  const [isShown, setShown] = useState(false);
  const navigate = useNavigate();

  useEffect(() => {
    let pressedG = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const letter = LETTERS.find((each) => each === event.key);
      if (letter !== undefined && event.timeStamp - pressedG < SECOND_KEY_MS) void navigate({ to: PLACES[letter] });
      else if (event.key === '/') {
        event.preventDefault();
        void navigate({ to: '/records', search: (before) => before, hash: 'search' });
      } else if (event.key === '?') setShown(true);
      pressedG = event.key === 'g' ? event.timeStamp : -Infinity;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);

  return (
    <Modal
      opened={isShown}
      onClose={() => setShown(false)}
      title={t('keys')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Table>
        <Table.Tbody>
          {LETTERS.map((letter) => (
            <Table.Tr key={letter}>
              <Table.Td>
                <Kbd>g</Kbd> <Kbd>{letter}</Kbd>
              </Table.Td>
              <Table.Td>{t(NAMES[letter])}</Table.Td>
            </Table.Tr>
          ))}
          {IN_LISTS.map(([names, what]) => (
            <Table.Tr key={what}>
              <Table.Td>
                {names.map((name) => (
                  <Kbd key={name} mr={4}>
                    {name}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{t(what)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
