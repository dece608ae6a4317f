// Text that is copied with one click: an address, a key, a request. It is shown whole.

import { Code, Group } from '@mantine/core';

import { CopyButton } from './copy-button.tsx';

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
      <CopyButton value={text} what={label} {...(onCopy !== undefined && { onCopy })} />
    </Group>
  );
}
