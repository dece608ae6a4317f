// A number with its label, as a link to exactly the records it counts.

import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { RecordSearch } from '../model/search-parameters.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Tone } from '../theme/theme.ts';

import classes from './count-link.module.css';

export function CountLink({
  n,
  word,
  code,
  note,
  more,
  tone,
  to,
  search,
}: {
  readonly n: number;
  readonly word: string;
  /** The technical term beside the label. */
  readonly code?: string;
  /** A note in small print below the label. */
  readonly note?: string | undefined;
  /** Content between the label and the note, such as a sum of money. */
  readonly more?: ReactNode;
  /** The colour of a number above zero. */
  readonly tone?: Tone;
  readonly to: '/records' | '/refused';
  readonly search: RecordSearch;
}) {
  const formats = useStoreFormats();
  return (
    <Link to={to} search={search} className={`plain-link ${classes.count}`}>
      <Text component="span" fz={24} fw={600} lh={1.2} {...(tone !== undefined && n > 0 && { c: `var(--cf-${tone})` })}>
        {formats.number(n)}
      </Text>
      <span>
        {word}
        {code !== undefined && (
          <Text component="span" size="xs" c="dimmed">
            {' '}
            {code}
          </Text>
        )}
      </span>
      {more}
      {note !== undefined && (
        <Text component="span" size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Link>
  );
}
