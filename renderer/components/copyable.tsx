// A text with a copy button, such as an address, a key or a request. The text is never cut.

import { Code, Group } from '@mantine/core';
import { Fragment } from 'react';

import { CopyButton } from './copy-button.tsx';

export function Copyable({
  text,
  label,
  isBlock = false,
  onCopy,
}: {
  readonly text: string;
  /** Accessible name of the text. */
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
        {isFingerprint(text)
          ? text.split(':').map((pair, index) => (
              <Fragment key={index}>
                {index > 0 && (
                  <>
                    :<wbr />
                  </>
                )}
                {pair}
              </Fragment>
            ))
          : text}
      </Code>
      <CopyButton value={text} what={label} {...(onCopy !== undefined && { onCopy })} />
    </Group>
  );
}

/** True if the text is a fingerprint. A fingerprint wraps only between pairs of digits, so that people can compare it. */
function isFingerprint(text: string): boolean {
  return /^([\dA-F]{2}:){15,}[\dA-F]{2}$/.test(text);
}
