// Copies a text with one click and confirms it.

import { ActionIcon, CopyButton as Copying } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';

export function CopyButton({
  value,
  what,
  size = 36,
  isReachable = true,
  onCopy,
}: {
  readonly value: string;
  /** Accessible name of the copied text. */
  readonly what: string;
  readonly size?: number;
  /** Whether Tab reaches the button. */
  readonly isReachable?: boolean;
  readonly onCopy?: () => void;
}) {
  const { t } = useTranslation('app');
  return (
    <Copying value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color={copied ? 'teal' : 'gray'}
          size={size}
          onClick={() => {
            copy();
            onCopy?.();
          }}
          tabIndex={isReachable ? 0 : -1}
          title={t(copied ? 'copied' : 'copy')}
          aria-label={copied ? t('copied') : `${t('copy')}: ${what}`}
        >
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </Copying>
  );
}
