// The command palette: type a word or two and press Enter. The focus stays in the text field. The arrow keys move through the
// list, and a screen reader announces each option.

import { Modal, Text, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_EXTERNAL_ID } from '../../server/contract/codes.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { type Command, useCommands } from './commands.tsx';

import classes from './palette.module.css';

export default function Palette({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { t } = useTranslation('palette');
  return (
    <Modal.Root opened={isOpen} onClose={onClose} returnFocus={false} size={560} yOffset="12vh" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('title')}>
        <Modal.Body>
          <Chooser onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The number of options by which a key moves the selection. Home and End are not here, because they work in the text field. */
const STEPS: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

function Chooser({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('palette');
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const commands = useCommands(typed);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const at = Math.min(active, commands.length - 1);
  const optionId = (command: Command | undefined): string | undefined => command && `${id}-${command.id}`;
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, commands]);

  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.go();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (event.key === 'Enter') choose(commands[at]);
    else if (step === undefined) return;
    else if (Math.abs(step) === 1) setActive((at + step + commands.length) % commands.length);
    else setActive(Math.min(Math.max(at + step, 0), commands.length - 1));
    event.preventDefault();
  };

  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className={classes.input ?? ''}
        leftSection={<Search size={16} aria-hidden />}
        role="combobox"
        aria-label={t('placeholder')}
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={optionId(commands[at])}
        placeholder={t('placeholder')}
        maxLength={2 * MAX_EXTERNAL_ID}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('found')} className={classes.list}>
        {commands.map((command, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the focus stays in the text field: it handles the keys, and aria-activedescendant names the active option
          <div
            key={command.id}
            id={optionId(command)}
            role="option"
            aria-selected={index === at}
            className={classes.option}
            onPointerMove={() => setActive(index)}
            onClick={() => choose(command)}
          >
            <command.Icon size={16} aria-hidden />
            <span className={classes.text}>
              <ForeignText>{command.text}</ForeignText>
            </span>
            <Text component="span" size="sm" c="dimmed" className={classes.kind ?? ''}>
              {command.kind}
            </Text>
          </div>
        ))}
      </div>
    </>
  );
}
