// Text that is copied with one click: an id, a key, a request. It is shown whole.

import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';

export function Copyable({
  text,
  label,
  isBlock = false,
  onCopy,
}: {
  readonly text: string;
  /** What it is, for those who don't see where it stands. */
  readonly label: string;
  readonly isBlock?: boolean;
  readonly onCopy?: () => void;
}) {
  const { t } = useTranslation('app');
  return (
    <Group gap={4} wrap="nowrap" align={isBlock ? 'flex-start' : 'center'} maw="100%">
      <Code
        block={isBlock}
        flex={isBlock ? '1 1 auto' : '0 1 auto'}
        style={{ overflowWrap: 'anywhere', whiteSpace: isBlock ? 'pre-wrap' : 'normal' }}
        fz="sm"
      >
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={t(copied ? 'copied' : 'copy')}>
            <ActionIcon
              size={36}
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              aria-label={`${t(copied ? 'copied' : 'copy')}: ${label}`}
              onClick={() => {
                copy();
                onCopy?.();
              }}
            >
              {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
