// A page title that takes the focus, so that users of a keyboard or a screen reader start there.

import { Title, type TitleProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

import { isInDialog } from '../lib/keyboard.ts';

/** Takes the focus once, but never from an open dialog: somebody may be typing there while the page loads. */
export function FocusedTitle(props: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isInDialog()) heading.current?.focus();
  }, []);
  return <Title {...props} ref={heading} tabIndex={-1} style={{ outline: 'none' }} />;
}
